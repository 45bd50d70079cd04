// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
import Combine
#else
import FlexSync
@preconcurrency import OpenCombine
#endif

extension MongoCollection {
  /// Inserts a document, which gets an `_id` if it has none.
  public func insertOne(_ document: Document) -> Future<AnyBSON, any Error> {
    future { insertOne(document, $0) }
  }

  /// Inserts documents, which get an `_id` if they have none.
  public func insertMany(_ documents: [Document]) -> Future<[AnyBSON], any Error> {
    future { insertMany(documents, $0) }
  }

  /// Finds the documents that satisfy a filter.
  public func find(filter: Document, options: FindOptions = FindOptions()) -> Future<[Document], any Error> {
    future { find(filter: filter, options: options, $0) }
  }

  /// Finds the first document that satisfies a filter.
  public func findOneDocument(
    filter: Document,
    options: FindOptions = FindOptions()
  ) -> Future<Document?, any Error> {
    future { findOneDocument(filter: filter, options: options, $0) }
  }

  /// Runs an aggregation pipeline.
  public func aggregate(pipeline: [Document]) -> Future<[Document], any Error> {
    future { aggregate(pipeline: pipeline, $0) }
  }

  /// Counts the documents that satisfy a filter.
  public func count(filter: Document, limit: Int? = nil) -> Future<Int, any Error> {
    future { count(filter: filter, limit: limit, $0) }
  }

  /// Deletes the first document that satisfies a filter. The result is the number of deleted documents.
  public func deleteOneDocument(filter: Document) -> Future<Int, any Error> {
    future { deleteOneDocument(filter: filter, $0) }
  }

  /// Deletes the documents that satisfy a filter. The result is their number.
  public func deleteManyDocuments(filter: Document) -> Future<Int, any Error> {
    future { deleteManyDocuments(filter: filter, $0) }
  }

  /// Updates the first document that satisfies a filter.
  public func updateOneDocument(
    filter: Document,
    update: Document,
    upsert: Bool? = nil
  ) -> Future<UpdateResult, any Error> {
    future { updateOneDocument(filter: filter, update: update, upsert: upsert ?? false, $0) }
  }

  /// Updates the documents that satisfy a filter.
  public func updateManyDocuments(
    filter: Document,
    update: Document,
    upsert: Bool? = nil
  ) -> Future<UpdateResult, any Error> {
    future { updateManyDocuments(filter: filter, update: update, upsert: upsert ?? false, $0) }
  }

  /// Finds a document, updates it and returns it.
  public func findOneAndUpdate(
    filter: Document,
    update: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) -> Future<Document?, any Error> {
    future { findOneAndUpdate(filter: filter, update: update, options: options, $0) }
  }

  /// Finds a document, replaces it and returns it.
  public func findOneAndReplace(
    filter: Document,
    replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) -> Future<Document?, any Error> {
    future { findOneAndReplace(filter: filter, replacement: replacement, options: options, $0) }
  }

  /// Finds a document, deletes it and returns it.
  public func findOneAndDelete(
    filter: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) -> Future<Document?, any Error> {
    future { findOneAndDelete(filter: filter, options: options, $0) }
  }
}
