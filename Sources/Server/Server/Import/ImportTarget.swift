// SPDX-License-Identifier: Apache-2.0

import FlexSyncDocuments
import FlexSyncJSON
import FlexSyncServerStore

/// The destination of the documents in a file.
protocol ImportTarget {
  /// Returns bytes that identify what a document describes, equal for two documents of the same thing.
  ///
  /// - Throws: `DocumentError` if the document cannot be imported.
  func identity(_ document: JSON) throws -> [UInt8]

  /// Returns whether a document describes something that does not exist yet.
  ///
  /// - Throws: `DocumentError` if the document cannot be imported.
  func isNew(_ document: JSON) throws -> Bool

  /// Returns the field names of a document that are ignored.
  func unknownFields(_ document: JSON) -> [String]

  /// Imports the documents of a file, leaving out those that cannot be imported and those about something
  /// that an earlier document describes.
  func take(_ documents: DocumentFile, into store: ServerStore) throws
}

/// The outcome of an import, or of a dry run.
public struct ImportSummary: Sendable {
  /// The number of imported documents.
  public var documentCount = 0
  /// The number of imported documents that did not exist before.
  public var newCount = 0
  /// The number of documents that could not be imported.
  public var refusedCount = 0
  /// Whether the run was a rehearsal of one that would import nothing, because of the documents that are refused.
  public var isPrevented = false
}
