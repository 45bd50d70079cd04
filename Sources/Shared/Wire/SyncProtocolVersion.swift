// SPDX-License-Identifier: Apache-2.0

/// A version of the Flexible Sync protocol, 2 to 14 (protocol §1.3).
public struct SyncProtocolVersion: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int

  /// Creates a version, or returns nil for an unsupported number.
  public init?(rawValue: Int) {
    guard (2...14).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(known rawValue: Int) { self.rawValue = rawValue }

  public static let oldest = SyncProtocolVersion(known: 2)
  public static let newest = SyncProtocolVersion(known: 14)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Whether errors are sent as JSON. Earlier versions send plain text.
  var hasJSONErrors: Bool { rawValue >= 4 }
  /// Whether BIND carries JSON. In earlier versions it carries a path.
  var hasBindOptions: Bool { rawValue >= 8 }
  /// Whether DOWNLOAD carries an estimate from 0 to 1. In earlier versions it carries a byte count.
  var hasProgressEstimate: Bool { rawValue >= 12 }
  /// Whether DOWNLOAD distinguishes bootstraps from the steady state, and the server may start a bootstrap on its
  /// own. In earlier versions, a boolean means "last in batch".
  public var hasBatchState: Bool { rawValue >= 14 }
}

extension SyncProtocolVersion: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
