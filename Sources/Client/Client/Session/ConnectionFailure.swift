// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The client's reaction to a failed or lost connection.
enum ConnectionFailure: Hashable, Sendable {
  /// Reconnect after a delay.
  case retry(isReported: Bool)
  /// Refresh the access token first.
  case refreshUser
  /// Refresh the location and the access token first.
  case refreshLocation
  case logOutUser
  case resetClient
  /// Do not reconnect.
  case fatal

  /// Chooses the reaction to an answer to the upgrade request other than 101 (protocol §1.4).
  ///
  /// - Parameter isRouteVerified: whether the address was obtained from the server; a guessed one may simply be
  ///   wrong.
  init(status: Int, isRouteVerified: Bool) {
    switch status {
    case 301, 308: self = .refreshLocation
    case 300..<400: self = .retry(isReported: true)
    case 401: self = .refreshUser
    case 403: self = .logOutUser
    case 200..<300, 400..<500: self = isRouteVerified ? .fatal : .refreshLocation
    default: self = .retry(isReported: true)
    }
  }

  /// Chooses the reaction to a close frame (protocol §1.5).
  init(closeCode: UInt16) {
    switch closeCode {
    // Realm's client ignores 1000; the server is about to close the connection.
    case 1000: self = .retry(isReported: false)
    case 1006, 4001: self = .refreshUser
    case 1009: self = .resetClient
    case 4002: self = .logOutUser
    case 4003: self = .refreshLocation
    default: self = .retry(isReported: true)
    }
  }
}

/// The reason for a reconnect. Delays grow for as long as the reason stays the same (protocol §3.7).
enum ReconnectReason: Hashable, Sendable {
  case connectFailed
  case connectTimeout
  case lost
  case pongTimeout
  case status(Int)
  case closeCode(UInt16)
  case serverError(ErrorCode)
  case refresh
}
