// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncTestSupport
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncDocuments
@testable import FlexSyncRules
@testable import FlexSyncServerSupport

/// Which user may do what with which document, written as a table: a line for each user with the role, and for each
/// document the letters of what is allowed: Read, Update, Insert (as a new object), Delete.
struct AccessTable {
  struct Line {
    let user: String
    /// Nil if no role applies.
    let role: String?
    /// One for each document, in the order of its file.
    let cells: [String]
  }

  let className: String
  let lines: [Line]

  init(_ className: String, _ text: String) {
    self.className = className
    lines = text.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return Line(user: words[0], role: words[1] == "-" ? nil : words[1], cells: Array(words[2...]))
    }
  }
}

/// One of the app directories in `Tests/Apps`, or another one.
struct RuledApp {
  let app: AppConfiguration
  let users: [String: UserContext]

  init(_ directory: String, users: [String: UserContext]) throws {
    app = try AppDirectory.load(directory)
    self.users = users
  }

  static func directory(_ name: String) -> String { "\(PackageFolder.root)/Tests/Apps/\(name)" }

  func permissions(of user: String) throws -> Permissions {
    app.rules.permissions(of: try #require(users[user]), schema: app.schema)
  }

  func permission(of user: String, _ className: String) throws -> ClassPermission? {
    try permissions(of: user)[className]
  }

  /// The documents of a file of the app directory, as the evaluator sees them.
  func documents(_ file: String, of className: String) throws -> [RowImage] {
    let json = try JSON.parse(try FileSystem.contents(of: "\(app.directory)/data/\(file)"))
    let reader = try DocumentReader(
      className: className,
      schema: app.schema,
      classByCollection: app.classByCollection
    )
    let key = try #require(app.schema[className]?.primaryKey?.name)
    return try (json.arrayValue ?? []).map { document in
      let object = try reader.object(document)
      var image = RowImage([key: .value(try #require(object.reference.key.value))])
      for (property, content) in object.contents {
        switch content {
        case .value(let value): image.fields[property.name] = .value(value)
        case .elements(let values): image.fields[property.name] = .list(values)
        case .entries, .embedded: break
        }
      }
      return image
    }
  }

  /// Expects what a table says.
  func check(_ table: AccessTable, documents file: String) throws {
    let documents = try documents(file, of: table.className)
    for line in table.lines {
      let permission = try permission(of: line.user, table.className)
      #expect(permission?.role == line.role, "role of \(line.user) in \(table.className)")
      #expect(documents.count == line.cells.count)
      for (number, (document, cell)) in zip(documents, line.cells).enumerated() {
        let allowed = permission.map { RuledApp.letters($0, document) } ?? "----"
        #expect(allowed == cell, "\(line.user), \(table.className) \(number + 1)")
      }
    }
  }

  private static func letters(_ permission: ClassPermission, _ document: RowImage) -> String {
    let mayWrite = permission.write.matches(document)
    return (permission.read.matches(document) ? "R" : "-") + (mayWrite ? "U" : "-")
      + (mayWrite && permission.insert.matches(document) ? "I" : "-")
      + (mayWrite && permission.delete.matches(document) ? "D" : "-")
  }

  /// The properties of a class that a user may see, and those that the user may change.
  func fields(of user: String, _ className: String) throws -> (readable: [String], writable: [String]) {
    let names = app.schema[className]?.properties.map(\.name) ?? []
    guard let permission = try permission(of: user, className) else { return ([], []) }
    return (
      names.filter(permission.readableFields.includes), names.filter(permission.writableFields.includes)
    )
  }
}
