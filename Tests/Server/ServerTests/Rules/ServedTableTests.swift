// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncTestSupport
import Logging
import Testing

@testable import FlexSyncRules
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Rules of example apps on the wire", .serialized)
struct ServedTableTests {
  @Test(
    "Clients get what the tables say, and are refused the rest with its reason",
    arguments: ExampleApps.all
  )
  func tables(example: ExampleApp) throws {
    let served = try ServedExample(example)
    for user in served.ruled.users.keys.sorted() { try served.check(user) }
  }
}

/// An example app behind a real server. Its users are those of the tables: what is known of them is given, the roles and
/// filters are those of the directory.
private final class ServedExample {
  let ruled: RuledApp
  private let example: ExampleApp
  private let harness: Harness
  private let table = PermissionTable()
  private let directory: TemporaryFolder
  /// The users of the tables by the ids of the server's.
  private var names: [String: String] = [:]
  /// How many refusals of the client of the moment have been looked at.
  private var toldCount = 0

  init(_ example: ExampleApp) throws {
    self.example = example
    ruled = try example.load()
    directory = TemporaryFolder()
    try ServedExample.copy(ruled.app.directory, "", to: directory)
    directory.write(#"{"app_id":"\#(Harness.appID)","name":"\#(example.name)"}"#, to: "root_config.json")
    directory.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    harness = try Harness(app: directory.path, permissions: table)
    let importer = try DataImport(
      appDirectory: directory.path,
      dataFolder: "\(harness.folder.path)/data",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    for (className, file) in example.documents {
      _ = try importer.run(file: "\(ruled.app.directory)/data/\(file)", collection: className)
    }
    table.lookUp = { [unowned self] id in try names[id].map(ruled.permissions) ?? Permissions(classes: [:]) }
  }

  private static func copy(_ root: String, _ folder: String, to target: TemporaryFolder) throws {
    for entry in try FileSystem.entries(of: "\(root)/\(folder)") {
      let path = folder.isEmpty ? entry : "\(folder)/\(entry)"
      if FileSystem.isDirectory("\(root)/\(path)") {
        try copy(root, path, to: target)
      } else if entry != "root_config.json", entry != "realm_config.json" {
        target.write(
          String(decoding: try FileSystem.contents(of: "\(root)/\(path)"), as: UTF8.self),
          to: path
        )
      }
    }
  }

  func check(_ user: String) throws {
    let tokens = try harness.logIn()
    names[tokens.userID] = user
    toldCount = 0
    let client = try SyncClient(harness, tokens: tokens, schema: ruled.app.schema)
    try client.connect()
    let queries = example.documents.map { #""\#($0.className)":"(TRUEPREDICATE)""# }.joined(separator: ",")
    client.subscribe("{\(queries)}")
    try client.synchronize()
    for (className, file) in example.documents {
      try check(user, client, className, try ruled.documents(file, of: className))
    }
  }

  private func check(_ user: String, _ client: SyncClient, _ className: String, _ documents: [RowImage])
    throws
  {
    let permission = try ruled.permission(of: user, className)
    let visible = documents.filter { permission?.read.matches($0) ?? false }
    let key = ruled.app.schema[className]?.primaryKey?.name ?? ""
    let expected = Set(visible.compactMap { PrimaryKey($0.value(of: key)) })
    let received = try client.objects.contents(of: className)
    #expect(Set(received.keys) == expected, "\(user), \(className)")
    let fields = Set(received.values.flatMap { $0.compactMap { $0.path?.field } })
    #expect(fields.allSatisfy { permission?.readableFields.includes($0) ?? false }, "\(user), \(className)")
    guard let permission, let field = example.texts[className] else { return }
    for document in visible {
      guard let primaryKey = PrimaryKey(document.value(of: key)) else { continue }
      let object = ObjectReference(table: className, key: primaryKey)
      try change(field, of: object, in: client)
      let place = "\(user), \(object)"
      #expect(reasons(client) == reasonsForUpdate(field, permission, document, object), "update by \(place)")
      guard !permission.delete.matches(document) || !permission.write.matches(document) else { continue }
      // Not as an app deletes, which would clear the links to the object; those changes would stand.
      try client.write(.eraseObject(object))
      try client.synchronize()
      #expect(
        reasons(client) == [reason(object)],
        "deletion by \(place)"
      )
    }
  }

  private func change(_ field: String, of object: ObjectReference, in client: SyncClient) throws {
    let path = PropertyPath(object: object, field: field)
    try client.write(.update(path, .value(.string("changed by \(client.userID)")), .isDefault(false)))
    try client.synchronize()
  }

  /// What the client was refused since the last call.
  private func reasons(_ client: SyncClient) -> [String] {
    defer { toldCount = client.rejections.count }
    return client.rejections.dropFirst(toldCount).map(\.reason)
  }

  private func reasonsForUpdate(
    _ field: String,
    _ permission: ClassPermission,
    _ document: RowImage,
    _ object: ObjectReference
  ) -> [String] {
    let isAllowed = permission.writableFields.includes(field) && permission.write.matches(document)
    return isAllowed ? [] : [reason(object)]
  }

  private func reason(_ object: ObjectReference) -> String {
    "write to \(object.key) in table \"\(object.table)\" not allowed"
  }
}
