// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import Logging
import Testing

@testable import FlexSyncDocuments
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Importing files with bad documents")
struct ImportRefusalTests {
  private let app = SmallApp(schemas: [
    "notes": """
    {"title":"Note","bsonType":"object","required":["_id","text"],
     "properties":{"_id":{"bsonType":"long"},"text":{"bsonType":"string"}}}
    """
  ])

  private func run(
    _ text: String,
    isDryRun: Bool = false,
    skipFile: String? = nil,
    onRefusals: (Refusals) -> Void = { _ in }
  ) throws -> ImportSummary {
    app.folder.write(text, to: "notes.json")
    let importer = try DataImport(
      appDirectory: app.path,
      dataFolder: "\(app.path)/data",
      isDryRun: isDryRun,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    return try importer.run(
      file: "\(app.path)/notes.json",
      collection: "notes",
      skipFile: skipFile,
      onRefusals: onRefusals
    )
  }

  private func count() throws -> Int {
    let summary = try AppSummary.one("tasktracker-abcde", dataFolder: "\(app.path)/data")
    return summary.objectCounts.first { $0.className == "Note" }?.count ?? 0
  }

  @Test("All bad documents are told, a few of many on the terminal, and nothing is imported")
  func allTold() throws {
    let text = (1...100).map { #"{"_id":\#($0),"text":\#($0 % 2 == 0 ? "5" : "\"a\"")}"# }.joined(
      separator: "\n"
    )
    var told: Refusals?
    #expect(throws: ServerError.self) { try run(text) { told = $0 } }
    #expect(told?.count == 50 && told?.shown.count == Refusals.shownCount)
    #expect(told?.shown.first?.hasPrefix("line 2: field \"text\"") == true)
    #expect(told?.text.contains("and 30 more") == true)
  }

  @Test(
    "Bad documents are put aside, the others are imported, and what is put aside comes in after correction"
  )
  func skipped() throws {
    let aside = "\(app.path)/aside.json"
    let text = #"{"_id":1,"text":"a"}"# + "\n{oops\n" + #"{"_id":2}"# + "\n" + #"{"_id":3,"text":"c"}"#
    let summary = try run(text, skipFile: aside)
    #expect(summary.documentCount == 2 && summary.newCount == 2 && summary.refusedCount == 2)
    #expect(try count() == 2)
    let kept = try MigrationApp.text(of: aside)
    #expect(kept.split(separator: "\n").count == 4 && kept.contains("# line 2: not JSON"))
    let corrected = kept.replacing("{oops", with: #"{"_id":4,"text":"d"}"#)
      .replacing(#"{"_id":2}"#, with: #"{"_id":2,"text":"b"}"#)
    #expect(try run(corrected).newCount == 2)
    #expect(try count() == 4)
  }

  @Test("A dry run counts what is new, and writes nothing, not even the data folder")
  func dryRun() throws {
    let text = #"[{"_id":1,"text":"a"},{"_id":2},{"_id":3,"text":"c"}]"#
    let summary = try run(text, isDryRun: true)
    #expect(summary.documentCount == 2 && summary.newCount == 2 && summary.refusedCount == 1)
    #expect(!FileSystem.exists("\(app.path)/data"))
    _ = try run(#"{"_id":1,"text":"a"}"#)
    #expect(try run(text, isDryRun: true).newCount == 1)
    #expect(try count() == 1)
  }

  @Test("A dry run says whether the import would take anything, and ends with the same status")
  func dryRunStatus() throws {
    let bad = #"[{"_id":1,"text":"a"},{"_id":2}]"#
    #expect(try run(bad, isDryRun: true).isPrevented)
    var told: Refusals?
    #expect(try !run(bad, isDryRun: true, skipFile: "\(app.path)/aside.json") { told = $0 }.isPrevented)
    #expect(told?.count == 1 && told?.file == nil)
    #expect(!FileSystem.exists("\(app.path)/aside.json"), "the import itself must not find it")
    app.folder.write(bad, to: "bad.json")
    app.folder.write(#"[{"_id":1,"text":"a"}]"#, to: "good.json")
    for (file, expected) in [("bad.json", 1), ("good.json", 0)] as [(String, Int32)] {
      let arguments = ["import", "--app", app.path, "--data", "\(app.path)/d", "--collection", "notes"]
      let command = try Command(arguments + ["\(app.path)/\(file)", "--dry-run"])
      #expect(command.status == expected)
      #expect(
        command.errors.contains("would import nothing, because 1 documents are invalid") == (expected == 1)
      )
      #expect(command.output.contains("would import 1 documents") == (expected == 0))
      #expect(try Command(arguments + ["\(app.path)/\(file)"]).status == expected)
    }
  }

  @Test("An import that fails has declared no class, and has not even created the data folder")
  func nothingDeclared() throws {
    #expect(throws: ServerError.self) { try run(#"{"_id":1}"#) }
    #expect(!FileSystem.exists("\(app.path)/data"))
    _ = try run(#"{"_id":1,"text":"a"}"#)
    app.folder.write(
      """
      {"title":"Note","bsonType":"object","required":["_id","text"],
       "properties":{"_id":{"bsonType":"long"},"text":{"bsonType":"string"},"more":{"bsonType":"int"}}}
      """,
      to: "data_sources/s/d/notes/schema.json"
    )
    #expect(throws: ServerError.self) { try run(#"{"_id":2,"more":2}"#) }
    let declared = try DataFolder.storedSchema(in: "\(app.path)/data", appID: "tasktracker-abcde")["Note"]
    #expect(declared?.properties.map(\.name) == ["text"])
  }

  @Test("Two documents with the same _id are told, and only the first can be imported")
  func sameKey() throws {
    let text = #"{"_id":1,"text":"a"}"# + "\n" + #"{"_id":2,"text":"b"}"# + "\n" + #"{"_id":1,"text":"c"}"#
    var told: Refusals?
    #expect(throws: ServerError.self) { try run(text) { told = $0 } }
    #expect(told?.shown == ["line 3: describes the same as line 1; keep only one of the two"])
    let summary = try run(text, skipFile: "\(app.path)/aside.json")
    #expect(summary.documentCount == 2 && summary.newCount == 2 && summary.refusedCount == 1)
    #expect(try count() == 2)
  }

  @Test("Unknown fields inside embedded objects are told like others")
  func unknownFields() throws {
    let address = ClassSchema(
      name: "Address",
      kind: .embedded,
      primaryKey: nil,
      properties: [PropertySchema(name: "city", type: .string)]
    )
    let key = PropertySchema(name: "_id", type: .int)
    let home = PropertySchema(name: "home", type: .link, isNullable: true, linkTarget: "Address")
    let others = PropertySchema(name: "others", type: .link, collection: .list, linkTarget: "Address")
    let person = ClassSchema(name: "Person", primaryKey: key, properties: [home, others])
    let reader = try DocumentReader(
      className: "Person",
      schema: Schema([address, person]),
      classByCollection: [:]
    )
    let document = try JSON.parse(
      #"{"_id":1,"age":2,"home":{"city":"a","zip":1},"others":[{"city":"b"},{"street":"c"}]}"#
    )
    #expect(reader.unknownFields(document) == ["age", "home.zip", "others.street"])
  }

  @Test("A file that begins with a byte order mark is read")
  func byteOrderMark() throws {
    #expect(try run("\u{FEFF}" + #"{"_id":1,"text":"a"}"#).newCount == 1)
  }
}
