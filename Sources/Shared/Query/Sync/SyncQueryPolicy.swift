// SPDX-License-Identifier: Apache-2.0

/// The queries that an app allows in subscriptions.
public struct SyncQueryPolicy: Hashable, Sendable {
  /// Class name → the fields that queries may use. `_id` is always allowed.
  public var queryableFields: [String: Set<String>]
  /// Class name → the indexed queryable field, which every query on the class must restrict to constants.
  public var indexedFields: [String: String]
  /// The maximum size of a class's query text in bytes; at most `SyncQueryValidator.maximumByteCount`.
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

/// The reason a server rejects a subscription; sent as a QUERY_ERROR (protocol §4.5).
public struct SyncQueryError: Error, Hashable, Sendable {
  /// The kind of rejection.
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
