// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// What a client does when it has no connection (any more).
enum ConnectionFailure: Hashable, Sendable {
  /// Connect again after a delay.
  case retry(isReported: Bool)
  /// Refresh the access token first.
  case refreshUser
  /// Refresh the location and the access token first.
  case refreshLocation
  case logOutUser
  case resetClient
  /// Do not connect again.
  case fatal

  /// For an answer to the upgrade request that is not a 101 (protocol §1.4).
  ///
  /// - Parameter isRouteVerified: whether the address comes from the server; a guessed one may simply be wrong.
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

  /// For a close frame (protocol §1.5).
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

/// Why a connection is attempted again: the delays grow as long as it is the same (protocol §3.7).
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
