// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerSupport

/// Splits an input file into its documents: the elements of a JSON array, or one document per line. Lines beginning
/// with `#` are comments; the file that collects refused documents contains such lines.
package struct DocumentFile {
  /// A part of the file that should be a document.
  package struct Entry {
    package let place: String
    /// The document on a single line.
    package let text: String
    package let json: Result<JSON, DocumentError>
  }

  package let content: ArraySlice<UInt8>

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  package init(path: String) throws {
    self.init(content: try FileSystem.contents(of: path))
  }

  init(content: [UInt8]) {
    // Editors on some systems add a byte order mark.
    self.content = content.starts(with: DocumentFile.byteOrderMark) ? content.dropFirst(3) : content[...]
  }

  /// Calls `body` for each document and for each line that is not a document.
  ///
  /// - Throws: `DocumentError` for an array that is not JSON, because its documents cannot be located; also rethrows
  ///   what `body` throws.
  package func forEachEntry(_ body: (Entry) throws -> Void) throws {
    guard content.first(where: { $0 > 0x20 }) != UInt8(ascii: "[") else { return try forEachElement(body) }
    for (offset, line) in content.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      guard let first = line.first(where: { $0 > 0x20 }), first != UInt8(ascii: "#") else { continue }
      let text = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
      try body(Entry(place: "line \(offset + 1)", text: text, json: DocumentFile.parse(line)))
    }
  }

  private static func parse(_ line: ArraySlice<UInt8>) -> Result<JSON, DocumentError> {
    do {
      return .success(try JSON.parse(line))
    } catch {
      return .failure(DocumentError(description: "not JSON: \(error.message)"))
    }
  }

  private func forEachElement(_ body: (Entry) throws -> Void) throws {
    let elements: [JSON]
    do {
      elements = try JSON.parse(content).arrayValue ?? []
    } catch {
      throw DocumentError(
        description: "the array is \(error); write one document per line so that the others can be imported"
      )
    }
    for (offset, json) in elements.enumerated() {
      try body(Entry(place: "document \(offset + 1)", text: json.serialized, json: .success(json)))
    }
  }
}
