// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("What a server tells its operator about the data")
struct OperatorMessageTests {
  private let folder = TemporaryFolder()
  private let lines = LogLines()
  private var path: String { folder.file("data.sqlite") }

  /// Makes a store, damages it, and returns what a program says that opens it.
  private func message(afterWriting bytes: [UInt8], at offset: Int) throws -> String {
    do {
      let store = try ServerStore(path: path)
      try store.write {
        try store.database.execute("CREATE TABLE blobs (b BLOB)")
        for _ in 0..<50 { try store.database.execute("INSERT INTO blobs VALUES (randomblob(4000))") }
      }
    }
    var content = try FileSystem.contents(of: path)
    content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    try FileSystem.writePrivately(content, to: path)
    let error = #expect(throws: StorageError.self) { try ServerStore(path: path) }
    return error?.message ?? ""
  }

  private func isRescuing(_ message: String) -> Bool {
    message.contains("'\(path)'") && message.contains("keep the data folder")
      && message.contains("flexsyncd restore") && !message.lowercased().contains("delete")
  }

  @Test("The message about a damaged store advises to keep and to restore the data, not to delete them")
  func damage() throws {
    let message = try message(afterWriting: Array(repeating: 0xaa, count: 3_900), at: 100)
    #expect(message.contains("is damaged"))
    #expect(isRescuing(message), "\(message)")
  }

  @Test("So does the message about a store that begins with other bytes")
  func damagedHeader() throws {
    let message = try message(afterWriting: Array("no database at all".utf8), at: 0)
    #expect(message.contains("is not a FlexSync database"))
    #expect(isRescuing(message), "\(message)")
  }

  @Test("A property of another type than in the data is named, and nobody is told to delete the data")
  func otherType() throws {
    func schema(_ type: String) -> [String: String] {
      let id = #""_id":{"bsonType":"int"}"#
      return [
        "notes":
          #"{"title":"Note","bsonType":"object","required":["_id"],"properties":{\#(id),"n":{"bsonType":"\#(type)"}}}"#
      ]
    }
    let app = SmallApp(schemas: schema("int"))
    let harness = try Harness(app: app.path)
    let changed = SmallApp(schemas: schema("string"))
    let error = #expect(throws: StorageError.self) { try harness.restart(app: changed.path) }
    let message = try #require(error?.message)
    #expect(message.hasPrefix("Property 'Note.n' is declared differently in the server's data"))
    #expect(message.contains("the type is int?, not string?"))
    #expect(message.contains("use a new name") && !message.contains("delete"))
  }

  @Test("A new token.key beside users that are logged in is logged as a warning; the first one is not")
  func newKey() throws {
    let harness = try Harness { [lines] in $0.logger = lines.logger }
    _ = try harness.newUser("ann@example.com")
    let key = "\(harness.folder.path)/data/token.key"
    try harness.restart()
    #expect(!lines.text.contains("token.key"))
    try harness.restart { try FileSystem.moveFolder(key, to: "\(key).stolen") }
    #expect(lines.text.contains("warning \(harness.folder.path)/data had no token.key"))
    #expect(lines.text.contains("all users must log in again"))
  }

  @Test("Data that were imported before the first start are no reason to warn of the first token.key")
  func firstKey() throws {
    let harness = try Harness { [lines] in $0.logger = lines.logger }
    try harness.restart {
      try FileSystem.moveFolder("\(harness.folder.path)/data/token.key", to: "\(folder.path)/key")
    }
    #expect(!lines.text.contains("token.key"))
  }

  @Test("A network address that reaches a limit is logged once, with the name of the limit")
  func limitOfAddress() throws {
    var policy = AccountPolicy()
    policy.failuresPerAddress = 1
    let harness = try Harness(accounts: policy) { [lines] in $0.logger = lines.logger }
    for number in 0..<4 { _ = try harness.logIn(email: "\(number)@example.com") }
    #expect(lines.text.components(separatedBy: "because it has reached a limit").count == 2)
    #expect(lines.text.contains("failures-per-address"))
  }

  @Test("An app that begins empty beside the data of another one is logged as a warning")
  func otherAppID() throws {
    let harness = try Harness { [lines] in $0.logger = lines.logger }
    #expect(!lines.text.contains("begins without"))
    let renamed = SmallApp(isDevelopmentMode: true)
    renamed.folder.write(#"{"app_id":"renamed-abcde"}"#, to: "root_config.json")
    try harness.restart(app: renamed.path)
    #expect(lines.text.contains("warning app renamed-abcde begins without users and data"))
    #expect(lines.text.contains("holds those of \(Harness.appID)"))
    try harness.restart(app: renamed.path)
    #expect(lines.text.components(separatedBy: "begins without").count == 2, "it has data from now on")
  }

  @Test("An app is not logged as served before the server listens")
  func listening() throws {
    let harness = try Harness { [lines] in $0.logger = lines.logger }
    #expect(lines.text.contains("serving \(Harness.appID)"))
    let other = LogLines()
    let taken = "\(harness.server.endpoint)"
    #expect(throws: (any Error).self) {
      try Harness {
        $0.logger = other.logger
        $0.listenAddress = taken
      }
    }
    #expect(!other.text.contains("serving"))
  }
}
