// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

/// Client resets that discard what the server does not have.
@Suite struct DiscardTests {
  @Test func objectsBecomeThoseOfTheFreshCopy() throws {
    let scene = try ResetScene([.createObject(task(1)), .createObject(task(2)), setTitle(1, "common")])
    try scene.local.writeLocally([setTitle(1, "mine"), .createObject(task(3))])
    try scene.changeOnServer([.eraseObject(task(2)), .createObject(task(4)), setTitle(4, "theirs")])
    try scene.local.reset(to: scene.fresh, .discard)
    #expect(try scene.local.objects.exactState() == scene.fresh.objects.exactState())
    #expect(try scene.local.objects.read(task(1), "title") == .string("common"))
    #expect(try scene.recovered().isEmpty)
  }

  @Test func identityAndCursorsAreThoseOfTheFreshCopy() throws {
    let scene = try ResetScene()
    let version = try scene.local.writeLocally([.createObject(task(1))])
    try scene.local.reset(to: scene.fresh, .discard)
    #expect(try scene.local.fileIdent() == SaltedFileIdent(ident: 9, salt: 99))
    #expect(try scene.local.progress() == progress(server: 7))
    #expect(try scene.local.clientVersion() > version)
  }

  @Test func onlyTheActiveSubscriptionSetStays() throws {
    let scene = try ResetScene()
    for name in ["a", "b"] { _ = try scene.local.addSubscriptionSet([subscription("Task", name: name)]) }
    try scene.local.reset(to: scene.fresh, .discard)
    #expect(try scene.local.latestSubscriptionSet().version == 0)
    #expect(try scene.local.latestSubscriptionSet().state == .complete)
  }

  @Test func onlyRowsThatDifferAreTouched() throws {
    let base = (1...5).flatMap { [.createObject(task($0)), setTitle($0, "common")] as [Instruction] }
    let scene = try ResetScene(base)
    try scene.local.writeLocally([setTitle(2, "mine"), .createObject(task(6))])
    try scene.changeOnServer([
      .eraseObject(task(3)), .createObject(task(7)),
      .update(task(4).at("progress"), .value(.int(4)), .isDefault(false)),
    ])
    let rows = try scene.rows(of: [2, 3, 4, 6])
    let changes = try scene.recordReset(.discard)["Task"] ?? [:]
    let progress = try scene.local.objects.column("Task", "progress").index
    let title = try scene.local.objects.column("Task", "title").index
    #expect(changes.count == 5)
    #expect(changes[rows[2, default: 0]]?.columns == [title])
    #expect(changes[rows[4, default: 0]]?.columns == [progress])
    #expect(changes[rows[3, default: 0]] == .erased)
    #expect(changes[rows[6, default: 0]] == .erased)
    #expect(changes[try scene.local.objects.existingRow(task(7))] == .inserted)
  }

  @Test func aClassThatTheServerHasNotMakesTheResetFail() throws {
    let scene = try ResetScene(schema: taskSchema)
    try scene.local.database.write { try scene.local.objects.declare(noteSchema) }
    try scene.local.writeLocally([.createObject(task(1))])
    let before = try scene.local.objects.exactState()
    let error = #expect(throws: ClientResetError.self) { try scene.local.reset(to: scene.fresh, .discard) }
    #expect(error?.description.contains("'Note'") == true)
    #expect(try scene.local.objects.exactState() == before)
    #expect(try scene.local.fileIdent()?.ident == 2)
  }

  @Test func aPropertyOfAnotherTypeMakesTheResetFail() throws {
    let local = ClassSchema(
      name: "Extra",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [PropertySchema(name: "a", type: .int)]
    )
    var theirs = local
    theirs.properties[0].type = .string
    let scene = try ResetScene()
    try scene.local.database.write { try scene.local.objects.declare(local) }
    try scene.fresh.database.write { try scene.fresh.objects.declare(theirs) }
    let error = #expect(throws: ClientResetError.self) { try scene.local.reset(to: scene.fresh, .discard) }
    #expect(
      error?.description.hasSuffix(".") == false,
      "\(String(describing: error)) is followed by a period"
    )
  }

  @Test(arguments: [ClientResetKind.discard, .recover])
  func whatTheServerHasInAdditionIsDeclared(kind: ClientResetKind) throws {
    let scene = try ResetScene(schema: taskSchema)
    try scene.fresh.database.write { try scene.fresh.objects.declare(noteSchema) }
    try scene.changeOnServer([.createObject(note(1))])
    try scene.local.reset(to: scene.fresh, kind)
    #expect(try scene.local.objects.exactState() == scene.fresh.objects.exactState())
  }

  @Test func classesThatTheServerDoesNotKnowYetAreDeclaredAgain() throws {
    let scene = try ResetScene(schema: taskSchema)
    try scene.local.writeLocally(ObjectStore.declarations(of: noteSchema) + [.createObject(note(1))])
    try scene.local.reset(to: scene.fresh, .discard)
    #expect(try scene.local.objects.row(of: note(1)) == nil)
    let declarations = ChangesetCodec.encode(ObjectStore.declarations(of: noteSchema))
    #expect(ChangesetCodec.encode(try scene.recovered()) == declarations)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func anyStateBecomesThatOfTheFreshCopy(seed: UInt64) throws {
    var random = RandomChanges(seed: seed)
    let scene = try random.scene()
    try scene.local.reset(to: scene.fresh, .discard)
    #expect(try scene.local.objects.exactState() == scene.fresh.objects.exactState(), "seed \(seed)")
    #expect(try scene.recovered().isEmpty, "seed \(seed)")
    try scene.local.database.write {
      for (name, table) in try scene.local.objects.tables where !table.isEmbedded {
        for row in try scene.local.objects.rows(table) { try scene.local.objects.erase(row: row, in: table) }
        #expect(try scene.local.objects.count(table) == 0, "seed \(seed) \(name)")
      }
      for (name, table) in try scene.local.objects.tables where table.isEmbedded {
        #expect(try scene.local.objects.count(table) == 0, "seed \(seed) \(name): an embedded object is left")
      }
    }
  }
}

extension ResetScene {
  func rows(of keys: [Int64]) throws -> [Int64: Int64] {
    var rows: [Int64: Int64] = [:]
    for key in keys { rows[key] = try local.objects.existingRow(task(key)) }
    return rows
  }

  /// What a reset reports for notifications.
  func recordReset(_ kind: ClientResetKind) throws -> [String: [Int64: ChangeRecorder.RowChange]] {
    local.objects.recorder = ChangeRecorder()
    return try local.database.write {
      try local.reset(to: fresh, kind)
      return try local.objects.recordedChanges()
    }
  }
}

extension ChangeRecorder.RowChange {
  /// The columns that changed, of the first 20.
  var columns: [Int] {
    guard case .modified(let columns) = self else { return [] }
    return (0..<20).filter(columns.contains)
  }
}
