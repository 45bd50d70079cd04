// SPDX-License-Identifier: Apache-2.0

/// What an app allows subscriptions to ask (features section K).
public struct SyncQueryPolicy: Hashable, Sendable {
  /// Class name → the fields that queries may use. `_id` is always allowed.
  public var queryableFields: [String: Set<String>]
  /// Class name → the indexed queryable field, which every query on the class must pin down (rows 112–120).
  public var indexedFields: [String: String]
  /// The longest query of a class in bytes of its text; at most `SyncQueryValidator.maximumByteCount`.
  public var maximumByteCount: Int

  public init(
    queryableFields: [String: Set<String>],
    indexedFields: [String: String] = [:],
    maximumByteCount: Int = SyncQueryValidator.maximumByteCount
  ) {
    self.queryableFields = queryableFields
    self.indexedFields = indexedFields
    self.maximumByteCount = min(maximumByteCount, SyncQueryValidator.maximumByteCount)
  }
}

/// Why a server refuses a subscription; becomes a QUERY_ERROR (protocol §4.5).
public struct SyncQueryError: Error, Hashable, Sendable {
  /// The kind of refusal.
  public enum Kind: Hashable, Sendable {
    /// The query is wrong or asks for something that is not allowed.
    case invalidQuery
    /// The query is too large.
    case limitsExceeded
  }

  public let kind: Kind
  public let message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
