// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncScheduling
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncTransport
import Testing

@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Starts that fail")
struct FailedStartTests {
  private let data = TemporaryFolder()
  private var dataFolder: String { data.file("data") }

  /// An app with a class of notes, which have a text and, if given, one more property of a type.
  private func app(_ id: String, text: String = "string", more: String? = nil) -> SmallApp {
    let extra = more.map { #","extra":{"bsonType":"\#($0)"}"# } ?? ""
    let app = SmallApp(schemas: [
      "notes": """
      {"title":"Note","bsonType":"object","required":["_id"],
       "properties":{"_id":{"bsonType":"long"},"text":{"bsonType":"\(text)"}\(extra)}}
      """
    ])
    app.folder.write(#"{"app_id":"\#(id)"}"#, to: "root_config.json")
    return app
  }

  /// Starts a server, and stops it if it starts.
  private func serve(_ apps: [SmallApp], on address: String = "127.0.0.1:0") throws {
    let loop = try EventLoop()
    defer {
      loop.stop()
      loop.run()
    }
    let configuration = ServerConfiguration(
      appDirectories: apps.map(\.path),
      dataFolder: dataFolder,
      listenAddress: address,
      logger: LogLines().logger
    )
    try Server(configuration, loop: loop).stop {}
  }

  private func properties(_ id: String) throws -> [String] {
    try DataFolder.storedSchema(in: dataFolder, appID: id)["Note"]?.properties.map(\.name) ?? []
  }

  @Test("A server that cannot listen declares no class, and creates no data folder")
  func portInUse() throws {
    let harness = try Harness()
    let address = "\(harness.server.endpoint)"
    #expect(throws: TransportError.self) { try serve([app("one-abcde")], on: address) }
    #expect(!FileSystem.exists(dataFolder))
    try serve([app("one-abcde")])
    #expect(throws: TransportError.self) { try serve([app("one-abcde", more: "int")], on: address) }
    #expect(try properties("one-abcde") == ["text"])
  }

  @Test("A server that cannot serve its second app declares nothing for the first")
  func secondApp() throws {
    try serve([app("one-abcde"), app("two-abcde")])
    let first = app("one-abcde", more: "int")
    #expect(throws: StorageError.self) { try serve([first, app("two-abcde", text: "int")]) }
    #expect(throws: ServerError.self) { try serve([first, first]) }
    #expect(try properties("one-abcde") == ["text"])
    try serve([first, app("two-abcde")])
    #expect(try properties("one-abcde") == ["text", "extra"])
  }

  @Test("A server that was killed before it had written anything to its file starts again")
  func killedFirstStart() throws {
    data.write("", to: "data/one-abcde/data.sqlite")
    try serve([app("one-abcde")])
    #expect(try properties("one-abcde") == ["text"])
  }

  @Test(
    "A file that was truncated is refused and stays as it is, instead of becoming the file of a new app",
    arguments: ["", "x"]
  )
  func truncatedFile(content: String) throws {
    let app = app("one-abcde")
    try serve([app])
    data.write(content, to: "data/one-abcde/data.sqlite")
    let error = #expect(throws: (any Error).self) { try serve([app]) }
    #expect("\(error as Any)".contains(content.isEmpty ? "data.sqlite is empty" : "has only 1 bytes"))
    let commands = [
      ["check", "--app", app.path], ["users", "list"], ["apps", "list"],
      ["backup", "--to", data.file("b")],
    ]
    for command in commands {
      let result = try Command(command + ["--data", dataFolder])
      #expect(result.status == 1, "\(command): \(result.output)")
    }
    #expect(try FileSystem.contents(of: "\(dataFolder)/one-abcde/data.sqlite") == Array(content.utf8))
  }

  @Test("An emptied file beside a log with content is refused by check, too")
  func emptiedBesideALog() throws {
    data.write("", to: "data/one-abcde/data.sqlite")
    data.write("log", to: "data/one-abcde/data.sqlite-wal")
    let app = app("one-abcde")
    let check = try Command(["check", "--app", app.path, "--data", dataFolder])
    #expect(check.status == 1 && check.output.contains("cannot be served"))
    #expect(check.output.contains("data.sqlite-wal' is not: the file has lost its content"))
  }
}
