// SPDX-License-Identifier: Apache-2.0

/// Receives the `_id` of an inserted document.
public typealias MongoInsertBlock = @Sendable (Result<AnyBSON, any Error>) -> Void
/// Receives the `_id`s of inserted documents.
public typealias MongoInsertManyBlock = @Sendable (Result<[AnyBSON], any Error>) -> Void
/// Receives documents.
public typealias MongoFindBlock = @Sendable (Result<[Document], any Error>) -> Void
/// Receives a document; nil if there is none.
public typealias MongoFindOneBlock = @Sendable (Result<Document?, any Error>) -> Void
/// Receives a number of documents.
public typealias MongoCountBlock = @Sendable (Result<Int, any Error>) -> Void
/// Receives the result of an update.
public typealias MongoUpdateBlock = @Sendable (Result<UpdateResult, any Error>) -> Void

/// A collection of a `MongoDatabase`.
///
/// Each request has two forms: one is asynchronous and throws `AppError`, the other takes a completion, which is
/// called on a background thread. Filters and updates are documents as MongoDB knows them.
public struct MongoCollection: Sendable {
  public let name: String
  let database: MongoDatabase

  // MARK: Inserting

  /// Inserts a document, which gets an `_id` if it has none.
  public func insertOne(_ document: Document, _ completion: @escaping MongoInsertBlock) {
    var command = MongoCommand("insertOne", self)
    command.set("document", document)
    send(command, completion) { $0.member("insertedId") }
  }

  /// Inserts documents, which get an `_id` if they have none.
  public func insertMany(_ documents: [Document], _ completion: @escaping MongoInsertManyBlock) {
    var command = MongoCommand("insertMany", self)
    command.set("documents", .array(documents.map { .document($0) }))
    send(command, completion) { $0.member("insertedIds")?.arrayValue?.compactMap(\.self) }
  }

  // MARK: Reading

  /// Finds the documents that satisfy a filter.
  public func find(
    filter: Document,
    options: FindOptions = FindOptions(),
    _ completion: @escaping MongoFindBlock
  ) {
    send(find("find", filter, options), completion, \.documents)
  }

  /// Finds the first document that satisfies a filter.
  public func findOneDocument(
    filter: Document,
    options: FindOptions = FindOptions(),
    _ completion: @escaping MongoFindOneBlock
  ) {
    send(find("findOne", filter, options), completion, Self.document)
  }

  /// Runs an aggregation pipeline.
  public func aggregate(pipeline: [Document], _ completion: @escaping MongoFindBlock) {
    var command = MongoCommand("aggregate", self)
    command.set("pipeline", .array(pipeline.map { .document($0) }))
    send(command, completion, \.documents)
  }

  /// Counts the documents that satisfy a filter.
  ///
  /// - Parameter limit: the number at which counting ends; nil or 0 counts all.
  public func count(filter: Document, limit: Int? = nil, _ completion: @escaping MongoCountBlock) {
    send(find("count", filter, FindOptions(limit ?? 0)), completion) { $0.asInt() }
  }

  // MARK: Deleting

  /// Deletes the first document that satisfies a filter. The result is the number of deleted documents.
  public func deleteOneDocument(filter: Document, _ completion: @escaping MongoCountBlock) {
    send(find("deleteOne", filter), completion) { $0.member("deletedCount")?.asInt() }
  }

  /// Deletes the documents that satisfy a filter. The result is their number.
  public func deleteManyDocuments(filter: Document, _ completion: @escaping MongoCountBlock) {
    send(find("deleteMany", filter), completion) { $0.member("deletedCount")?.asInt() }
  }

  // MARK: Updating

  /// Updates the first document that satisfies a filter.
  ///
  /// - Parameter upsert: whether a document is inserted if there is none.
  public func updateOneDocument(
    filter: Document,
    update: Document,
    upsert: Bool = false,
    _ completion: @escaping MongoUpdateBlock
  ) {
    send(self.update("updateOne", filter, update, upsert), completion) { UpdateResult($0) }
  }

  /// Updates the documents that satisfy a filter.
  ///
  /// - Parameter upsert: whether a document is inserted if there is none.
  public func updateManyDocuments(
    filter: Document,
    update: Document,
    upsert: Bool = false,
    _ completion: @escaping MongoUpdateBlock
  ) {
    send(self.update("updateMany", filter, update, upsert), completion) { UpdateResult($0) }
  }

  /// Finds a document, updates it and returns it.
  public func findOneAndUpdate(
    filter: Document,
    update: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
    _ completion: @escaping MongoFindOneBlock
  ) {
    send(modify("findOneAndUpdate", filter, update, options), completion, Self.document)
  }

  /// Finds a document, replaces it and returns it.
  public func findOneAndReplace(
    filter: Document,
    replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
    _ completion: @escaping MongoFindOneBlock
  ) {
    send(modify("findOneAndReplace", filter, replacement, options), completion, Self.document)
  }

  /// Finds a document, deletes it and returns it.
  public func findOneAndDelete(
    filter: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
    _ completion: @escaping MongoFindOneBlock
  ) {
    send(modify("findOneAndDelete", filter, nil, options), completion, Self.document)
  }
}

// MARK: - Commands

extension MongoCollection {
  /// A document or null. The outer optional is nil for any other answer.
  private static func document(_ answer: AnyBSON) -> Document?? {
    answer.isNull ? .some(nil) : answer.documentValue.map { .some($0) }
  }

  private func find(_ name: String, _ filter: Document, _ options: FindOptions? = nil) -> MongoCommand {
    var command = MongoCommand(name, self)
    command.set("query", filter)
    options?.write(to: &command)
    return command
  }

  private func update(_ name: String, _ filter: Document, _ update: Document, _ upsert: Bool) -> MongoCommand
  {
    var command = find(name, filter)
    command.set("update", update)
    command.set("upsert", .bool(upsert))
    return command
  }

  private func modify(
    _ name: String,
    _ filter: Document,
    _ update: Document?,
    _ options: FindOneAndModifyOptions
  ) -> MongoCommand {
    var command = MongoCommand(name, self)
    command.set("filter", filter)
    command.set("update", update)
    options.write(to: &command)
    return command
  }
}
