// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore
import FlexSyncStore
import FlexSyncTestSupport
import Foundation
import Testing

@testable import FlexSyncServer

@Suite("Data folders of other versions")
struct UpgradeTests {
  private let folder = TemporaryFolder()
  private let app = SmallApp(
    isDevelopmentMode: true,
    schemas: ["Note": #"{"title":"Note","required":["_id"],"properties":{"_id":{"bsonType":"long"}}}"#]
  )
  private let early = EarlyFile.stores[3]

  private var data: String { folder.file("data") }

  private func storePath(in data: String) -> String { "\(data)/\(Harness.appID)/\(DataFolder.storeName)" }

  /// Puts the file of a version without migrations into the data folder.
  private func writeEarlyStore() throws {
    folder.write("", to: "data/\(Harness.appID)/place")
    try early.write(to: storePath(in: data), .server)
  }

  private func format(of path: String) throws -> Int64 {
    try Database.open(path, .server, isReadOnly: true).integer("PRAGMA user_version")
  }

  /// Starts a server, and ends it as soon as it serves the app.
  ///
  /// - Returns: The log, and the exit status.
  private func serve() throws -> (log: String, status: Int32) {
    let server = try ServerProcess(app: app, data: data)
    if server.address != nil { server.terminate() }
    #expect(server.process.terminationReason == .exit)
    return (server.log, server.process.terminationStatus)
  }

  @Test("A server upgrades the file of an older version, and says so once")
  func upgrade() throws {
    try writeEarlyStore()
    let log = try serve().log
    #expect(log.contains("upgraded the app's data.sqlite"))
    #expect(log.contains("server tables"))
    #expect(try format(of: storePath(in: data)) == DatabaseConfiguration.Application.server.migrator.format)
    let second = try ServerProcess(app: app, data: data)
    #expect(second.address != nil, "the server did not start: \(second.log)")
    second.terminate()
    #expect(second.process.terminationReason == .exit && second.process.terminationStatus == 0)
    #expect(!second.log.contains("upgraded"))
  }

  /// Runs the program to its end.
  ///
  /// - Returns: What it wrote to standard error, and the exit status.
  private func run(_ arguments: [String]) throws -> (errors: String, status: Int32) {
    let command = try Command(arguments)
    return (command.errors, command.status)
  }

  @Test(
    "Every command that upgrades a file says so once",
    arguments: [
      "apps list", "apps show \(Harness.appID)", "users list", "import", "import --dry-run", "migrate",
    ]
  )
  func commands(command: String) throws {
    try writeEarlyStore()
    var arguments = command.split(separator: " ").map(String.init) + ["--data", data]
    folder.write("", to: "documents")
    switch arguments[0] {
    case "import": arguments += ["--app", app.path, "--collection", "Note", folder.file("documents")]
    case "migrate": arguments += ["--app", app.path, "--users", folder.file("documents")]
    default: break
    }
    let (errors, status) = try run(arguments)
    #expect(status == 0, "\(errors)")
    let notes = errors.ranges(of: "upgraded the app's data.sqlite")
    #expect(notes.count == 1 && errors.contains("app=\(Harness.appID)"), "\(errors)")
    #expect(try format(of: storePath(in: data)) == DatabaseConfiguration.Application.server.migrator.format)
    #expect(try run(arguments) == ("", 0))
  }

  @Test("A restore that upgrades a file says so")
  func restore() throws {
    try writeEarlyStore()
    _ = try DataBackup.run(dataFolder: data, to: folder.file("backup"))
    let (errors, status) = try run([
      "restore", "--from", folder.file("backup"), "--data", folder.file("restored"),
    ])
    #expect(status == 0 && errors.contains("upgraded the app's data.sqlite"), "\(errors)")
  }

  @Test("A server does not start with the file of a newer version, and says why")
  func newerVersion() throws {
    try writeEarlyStore()
    let known = DatabaseConfiguration.Application.server.migrator.migrations
    let newer = known + [Migration("of the future") { try $0.execute("CREATE TABLE flx_future (n)") }]
    _ = try Database.open(storePath(in: data), .server.withMigrations(newer))
    let (log, status) = try serve()
    #expect(status == 1)
    #expect(log.contains("'\(storePath(in: data))' has format \(newer.count + 1)"))
    #expect(log.contains("newer version"))
    #expect(log.contains("Use the newer flexsyncd") && log.contains("flexsyncd restore"))
    #expect(try Database.open(storePath(in: data), .server.withMigrations(newer)).upgrade.isEmpty)
  }

  @Test("A backup keeps the format of the file, and is upgraded when it is restored")
  func backup() throws {
    try writeEarlyStore()
    _ = try DataBackup.run(dataFolder: data, to: folder.file("backup"))
    #expect(try format(of: storePath(in: data)) == 1)
    #expect(try format(of: storePath(in: folder.file("backup"))) == 1)
    _ = try DataRestore.run(from: folder.file("backup"), dataFolder: folder.file("restored"))
    let store = try ServerStore(path: storePath(in: folder.file("restored")))
    #expect(try store.user(id: "u1")?.created == 5)
    #expect(try format(of: storePath(in: folder.file("backup"))) == 1)
  }
}
