// SPDX-License-Identifier: Apache-2.0

/// Which documents and members a `find` returns, and in which order.
public final class FindOptions {
  /// The largest number of documents; 0 for all.
  public var limit: Int
  /// The members to return; nil for all.
  public var projection: Document?
  /// The order of the documents: a document such as `["name": 1]` for each member, 1 for ascending and -1 for
  /// descending.
  public var sorting: [Document]

  public init(_ limit: Int = 0, _ projection: Document? = nil, _ sorting: [Document] = []) {
    self.limit = limit
    self.projection = projection
    self.sorting = sorting
  }

  public convenience init(limit: Int = 0, projection: Document? = nil, sorting: [Document] = []) {
    self.init(limit, projection, sorting)
  }

  func write(to command: inout MongoCommand) {
    if limit != 0 { command.set("limit", AnyBSON(limit)) }
    command.set("project", projection)
    command.set("sort", sorting: sorting)
  }
}

/// How a `findOneAnd…` chooses and returns its document.
public final class FindOneAndModifyOptions {
  /// The members to return; nil for all.
  public var projection: Document?
  /// The order in which the first document is chosen, as in `FindOptions.sorting`.
  public var sorting: [Document]
  /// Whether a document is inserted if there is none. `findOneAndDelete` ignores it.
  public var upsert: Bool
  /// Whether the new document is returned instead of the old one. `findOneAndDelete` ignores it.
  public var shouldReturnNewDocument: Bool

  public init(
    _ projection: Document? = nil,
    _ sorting: [Document] = [],
    _ upsert: Bool = false,
    _ shouldReturnNewDocument: Bool = false
  ) {
    self.projection = projection
    self.sorting = sorting
    self.upsert = upsert
    self.shouldReturnNewDocument = shouldReturnNewDocument
  }

  public convenience init(
    projection: Document? = nil,
    sorting: [Document] = [],
    upsert: Bool = false,
    shouldReturnNewDocument: Bool = false
  ) {
    self.init(projection, sorting, upsert, shouldReturnNewDocument)
  }

  func write(to command: inout MongoCommand) {
    if upsert { command.set("upsert", true) }
    if shouldReturnNewDocument { command.set("returnNewDocument", true) }
    command.set("projection", projection)
    command.set("sort", sorting: sorting)
  }
}

/// The result of an update.
public struct UpdateResult: Sendable, Hashable {
  /// The number of documents that satisfied the filter.
  public let matchedCount: Int
  /// The number of documents that were changed.
  public let modifiedCount: Int
  /// The `_id` of the document that was inserted because there was none; nil otherwise.
  public let documentId: AnyBSON?

  /// `documentId` if it is an object id.
  public var objectId: ObjectId? { documentId?.objectIdValue }

  init?(_ answer: AnyBSON) {
    guard let matched = answer.member("matchedCount")?.asInt() else { return nil }
    matchedCount = matched
    modifiedCount = answer.member("modifiedCount")?.asInt() ?? 0
    documentId = answer.member("upsertedId")
  }
}
