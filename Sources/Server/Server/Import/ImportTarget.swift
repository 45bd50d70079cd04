// SPDX-License-Identifier: Apache-2.0

import FlexSyncDocuments
import FlexSyncJSON

/// Where the documents of a file go.
protocol ImportTarget {
  /// Whether a document is about something that is not there yet.
  ///
  /// - Throws: `DocumentError` if the document cannot be imported.
  func isNew(_ document: JSON) throws -> Bool

  /// The names in a document that are left out.
  func unknownFields(_ document: JSON) -> [String]

  /// Imports the documents of a file without those that cannot be.
  func take(_ documents: DocumentFile) throws
}

/// The outcome of an import, or of a dry run.
public struct ImportSummary: Sendable {
  /// The documents that were imported.
  public var documentCount = 0
  /// How many of them were not there before.
  public var newCount = 0
  /// The documents that could not be imported.
  public var refusedCount = 0
}
