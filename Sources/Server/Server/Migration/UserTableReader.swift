// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncDocuments
import FlexSyncJSON

/// Reads users from comma-separated values (Docs/Migration.md): one row per identity, with those of the same user in
/// consecutive rows.
struct UserTableReader {
  static let columns = [
    "id", "provider", "identity", "email", "disabled", "type", "created", "last_login", "data",
  ]

  /// The line with the column names.
  let header: String
  private let names: [String]
  private let rows: ArraySlice<DelimitedText.Row>

  /// - Throws: `DocumentError` if there is no valid line with column names.
  init(_ file: DocumentFile) throws(DocumentError) {
    let rows = try DelimitedText.rows(file.content)
    guard let first = rows.first, first.fields.contains("id"), first.fields.contains("provider") else {
      throw DocumentError(
        description:
          "the first line must name the columns; id and provider are required, and the known columns are "
          + UserTableReader.columns.joined(separator: ", ")
      )
    }
    if let name = first.fields.first(where: { !UserTableReader.columns.contains($0) }) {
      throw DocumentError(
        description: "line \(first.line): unknown column \"\(name)\"; the known columns are "
          + UserTableReader.columns.joined(separator: ", ")
      )
    }
    header = first.text
    names = first.fields
    self.rows = rows.dropFirst()
  }

  /// Whether a file has column names in its first line.
  static func isTable(_ file: DocumentFile) -> Bool {
    guard let first = file.content.first(where: { $0 > 0x20 }), !"{[#".utf8.contains(first) else {
      return false
    }
    return (try? UserTableReader(file)) != nil
  }

  /// Calls `body` for each user.
  func forEach(_ body: (UserEntry) throws -> Void) rethrows {
    var rest = rows
    while let first = rest.first {
      let id = value("id", of: first)
      let group = rest.prefix { value("id", of: $0) == id }
      rest = rest.dropFirst(group.count)
      let entry = UserEntry(
        place: "line \(first.line)",
        content: group.map(\.text).joined(separator: "\n"),
        user: Result { () throws(DocumentError) in try user(group) }
      )
      try body(entry)
    }
  }

  private func value(_ name: String, of row: DelimitedText.Row) -> String? {
    guard let index = names.firstIndex(of: name), row.fields.indices.contains(index) else { return nil }
    return row.fields[index].isEmpty ? nil : row.fields[index]
  }

  /// Converts the rows to the document that the Admin API would return, and reads the user from it.
  private func user(_ rows: ArraySlice<DelimitedText.Row>) throws(DocumentError) -> MigratedUser {
    var members: [JSON.Member] = []
    for (column, name) in [("id", "_id"), ("type", "type")] {
      if let text = first(column, rows) { members.append(JSON.Member(name, .string(text))) }
    }
    if let text = first("disabled", rows) { members.append(JSON.Member("disabled", try flag(text))) }
    for (column, name) in [("created", "creation_date"), ("last_login", "last_authentication_date")] {
      guard let text = first(column, rows) else { continue }
      members.append(JSON.Member(name, Int64(text).map(JSON.integer) ?? .string(text)))
    }
    var identities: [JSON] = []
    for row in rows { identities.append(try identity(row)) }
    members.append(JSON.Member("identities", .array(identities)))
    return try UserDocumentReader.read(.object(members))
  }

  private func first(_ column: String, _ rows: ArraySlice<DelimitedText.Row>) -> String? {
    rows.lazy.compactMap { value(column, of: $0) }.first
  }

  private func flag(_ text: String) throws(DocumentError) -> JSON {
    switch text.lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: throw DocumentError(description: "disabled is \"\(text)\"; write true or false")
    }
  }

  private func identity(_ row: DelimitedText.Row) throws(DocumentError) -> JSON {
    guard row.fields.count <= names.count else {
      throw DocumentError(
        description:
          "line \(row.line) has \(row.fields.count) fields for \(names.count) columns; enclose texts that "
          + "contain commas in quotation marks"
      )
    }
    var data: [JSON.Member] = []
    if let text = value("data", of: row) {
      guard let object = (try? JSON.parse(text))?.objectValue else {
        throw DocumentError(description: "line \(row.line): data is not a JSON object")
      }
      data = object
    }
    if let email = value("email", of: row) {
      data.removeAll { $0.name == "email" }
      data.append(JSON.Member("email", .string(email)))
    }
    let isAnonymous = value("provider", of: row) == Provider.anonymous
    let id = value("identity", of: row) ?? (isAnonymous ? value("id", of: row) : nil)
    return [
      "provider_type": value("provider", of: row).map(JSON.string) ?? .null,
      "id": id.map(JSON.string) ?? .null, "data": .object(data),
    ]
  }
}
