// SPDX-License-Identifier: Apache-2.0

import FlexSyncDocuments
import FlexSyncServerSupport

/// A file with two comma-separated texts per line: an e-mail address and a hash, or a key's identifier and the key.
struct PairFile {
  /// The second text by the first.
  private(set) var values: [String: String] = [:]

  /// - Parameters:
  ///   - header: The first line, if it contains column names rather than values.
  ///   - problem: Returns the reason why a pair cannot be used; nil if it can.
  /// - Throws: `FileError`; `ServerError` that lists the lines that cannot be used.
  init(
    path: String,
    header: String,
    key: (String) -> String = { $0 },
    problem: (_ left: String, _ right: String) -> String?
  ) throws {
    let file = try DocumentFile(path: path)
    let refusals = try Refusals(file: nil)
    for (offset, line) in file.content.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let text = PairFile.trimmed(String(decoding: line, as: UTF8.self)[...])
      guard !text.isEmpty, !text.hasPrefix("#"), text != header else { continue }
      // Hashes may contain commas; addresses and identifiers do not.
      let parts = text.split(separator: ",", maxSplits: 1).map { PairFile.unquoted(PairFile.trimmed($0)) }
      let isKnown = parts.first.map { values[key($0)] != nil } ?? false
      let reason =
        isKnown
        ? "an earlier line has the same \(header.prefix { $0 != "," })"
        : parts.count == 2 ? problem(parts[0], parts[1]) : "write \(header), separated by a comma"
      if let reason {
        try refusals.add(place: "line \(offset + 1)", reason: reason, content: "")
      } else {
        values[key(parts[0])] = parts[1]
      }
    }
    guard refusals.count == 0 else {
      throw ServerError(
        "\(path): \(refusals.count) lines cannot be used; correct or remove them:\n\(refusals.text)"
      )
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }

  private static func unquoted(_ text: String) -> String {
    text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
      ? String(text.dropFirst().dropLast()) : text
  }
}
