// SPDX-License-Identifier: Apache-2.0

// The asynchronous forms of the requests. They throw `AppError`.

extension MongoCollection {
  /// Inserts a document, which gets an `_id` if it has none, and returns its `_id`.
  public func insertOne(_ document: Document) async throws -> AnyBSON {
    try await awaitResult { insertOne(document, $0) }
  }

  /// Inserts documents, which get an `_id` if they have none, and returns their `_id`s.
  public func insertMany(_ documents: [Document]) async throws -> [AnyBSON] {
    try await awaitResult { insertMany(documents, $0) }
  }

  /// Finds the documents that satisfy a filter.
  public func find(
    filter: Document,
    options: FindOptions = FindOptions(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Document] {
    try await awaitResult(isolation: isolation) { find(filter: filter, options: options, $0) }
  }

  /// Finds the first document that satisfies a filter; nil if there is none.
  public func findOneDocument(
    filter: Document,
    options: FindOptions = FindOptions(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Document? {
    try await awaitResult(isolation: isolation) { findOneDocument(filter: filter, options: options, $0) }
  }

  /// Runs an aggregation pipeline.
  public func aggregate(pipeline: [Document]) async throws -> [Document] {
    try await awaitResult { aggregate(pipeline: pipeline, $0) }
  }

  /// Counts the documents that satisfy a filter.
  ///
  /// - Parameter limit: the number at which counting ends; nil or 0 counts all.
  public func count(filter: Document, limit: Int? = nil) async throws -> Int {
    try await awaitResult { count(filter: filter, limit: limit, $0) }
  }

  /// Deletes the first document that satisfies a filter, and returns the number of deleted documents.
  public func deleteOneDocument(filter: Document) async throws -> Int {
    try await awaitResult { deleteOneDocument(filter: filter, $0) }
  }

  /// Deletes the documents that satisfy a filter, and returns their number.
  public func deleteManyDocuments(filter: Document) async throws -> Int {
    try await awaitResult { deleteManyDocuments(filter: filter, $0) }
  }

  /// Updates the first document that satisfies a filter.
  ///
  /// - Parameter upsert: whether a document is inserted if there is none.
  public func updateOneDocument(filter: Document, update: Document, upsert: Bool? = nil) async throws
    -> UpdateResult
  {
    try await awaitResult { updateOneDocument(filter: filter, update: update, upsert: upsert ?? false, $0) }
  }

  /// Updates the documents that satisfy a filter.
  ///
  /// - Parameter upsert: whether a document is inserted if there is none.
  public func updateManyDocuments(filter: Document, update: Document, upsert: Bool? = nil) async throws
    -> UpdateResult
  {
    try await awaitResult { updateManyDocuments(filter: filter, update: update, upsert: upsert ?? false, $0) }
  }

  /// Finds a document, updates it and returns it; nil if there is none.
  public func findOneAndUpdate(
    filter: Document,
    update: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Document? {
    try await awaitResult(isolation: isolation) {
      findOneAndUpdate(filter: filter, update: update, options: options, $0)
    }
  }

  /// Finds a document, replaces it and returns it; nil if there is none.
  public func findOneAndReplace(
    filter: Document,
    replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Document? {
    try await awaitResult(isolation: isolation) {
      findOneAndReplace(filter: filter, replacement: replacement, options: options, $0)
    }
  }

  /// Finds a document, deletes it and returns it; nil if there is none.
  public func findOneAndDelete(
    filter: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Document? {
    try await awaitResult(isolation: isolation) {
      findOneAndDelete(filter: filter, options: options, $0)
    }
  }
}
