// SPDX-License-Identifier: Apache-2.0

/// A version of the Flexible Sync protocol, 2 to 14 (protocol §1.3).
public struct SyncProtocolVersion: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int

  /// Creates a version, or nil for a number that we do not speak.
  public init?(rawValue: Int) {
    guard (2...14).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(known rawValue: Int) { self.rawValue = rawValue }

  public static let oldest = SyncProtocolVersion(known: 2)
  public static let newest = SyncProtocolVersion(known: 14)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Errors travel as JSON; before, as plain text.
  var hasJSONErrors: Bool { rawValue >= 4 }
  /// BIND carries JSON; before, a path.
  var hasBindOptions: Bool { rawValue >= 8 }
  /// DOWNLOAD carries an estimate from 0 to 1; before, a count of bytes.
  var hasProgressEstimate: Bool { rawValue >= 12 }
  /// DOWNLOAD tells bootstraps from steady state, and the server may start a bootstrap by itself; before, a boolean
  /// said "last in batch".
  public var hasBatchState: Bool { rawValue >= 14 }
}

extension SyncProtocolVersion: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
