// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

/// Client resets that apply what was not uploaded to the fresh copy.
@Suite struct RecoveryTests {
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func theHistoryLeadsFromTheFreshCopyToTheFile(seed: UInt64) throws {
    var random = RandomChanges(seed: seed &* 7919)
    let scene = try random.scene()
    let versions = try scene.local.uploads(after: 0, byteLimit: .max).entries.map(\.clientVersion)
    try scene.local.reset(to: scene.fresh, .recover)
    let recovered = try scene.local.uploads(after: 0, byteLimit: .max).entries
    #expect(Set(recovered.map(\.clientVersion)).isSubset(of: versions), "seed \(seed)")
    #expect(recovered.allSatisfy { $0.timestamp == 100 }, "seed \(seed)")
    try scene.expectUploadsLeadToTheSameState("seed \(seed)")
  }

  @Test(arguments: 1...15 as ClosedRange<UInt64>)
  func withoutOtherChangesNothingIsLost(seed: UInt64) throws {
    var random = RandomChanges(seed: seed &* 104_729)
    let scene = try random.scene(changesServer: false)
    let before = try scene.local.objects.exactState()
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(try scene.local.objects.exactState() == before, "seed \(seed)")
    try scene.expectUploadsLeadToTheSameState("seed \(seed)")
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func whatTheServerHasAlreadyChangesNoLists(seed: UInt64) throws {
    var random = RandomChanges(seed: seed &* 31)
    let scene = try random.scene(changesServer: false)
    // The acknowledgement was lost.
    try scene.changeOnServer(try scene.recovered())
    let before = try scene.local.objects.exactState()
    try scene.local.reset(to: scene.fresh, .recover)
    for (object, state) in try scene.local.objects.exactState() {
      #expect(state.filter(\.isOfList) == before[object]?.filter(\.isOfList), "seed \(seed) \(object)")
    }
    try scene.expectUploadsLeadToTheSameState("seed \(seed)")
  }

  @Test func unsyncedObjectsKeepTheirRows() throws {
    let scene = try ResetScene([.createObject(task(1))])
    try scene.local.writeLocally([.createObject(task(5)), setTitle(5, "new"), setTitle(1, "mine")])
    let rows = try scene.rows(of: [1, 5])
    let changes = try scene.recordReset(.recover)["Task"] ?? [:]
    #expect(try scene.rows(of: [1, 5]) == rows)
    #expect(changes[rows[5, default: 0]] == .modified(.all))
    #expect(try scene.local.objects.read(task(5), "title") == .string("new"))
    try scene.expectUploadsLeadToTheSameState()
  }

  @Test func changesToObjectsThatAreGoneAreLeftOut() throws {
    let scene = try ResetScene([.createObject(task(1)), .createObject(task(2))])
    try scene.local.writeLocally([setTitle(1, "mine"), setTitle(2, "mine")])
    try scene.changeOnServer([.eraseObject(task(1))])
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(try scene.local.objects.row(of: task(1)) == nil)
    #expect(try scene.recovered() == [setTitle(2, "mine")])
  }

  @Test func historyKeepsVersionsAndIsBasedOnTheFreshCopy() throws {
    let scene = try ResetScene([.createObject(task(1))])
    let first = try scene.local.writeLocally([setTitle(1, "a")], timestamp: 5)
    let second = try scene.local.writeLocally([setTitle(1, "b")], timestamp: 6)
    try scene.local.reset(to: scene.fresh, .recover)
    let uploads = try scene.local.uploads(after: 0, byteLimit: .max).entries
    #expect(uploads.map(\.clientVersion) == [first, second])
    #expect(uploads.map(\.serverVersion) == [7, 7])
    #expect(uploads.map(\.timestamp) == [5, 6])
    #expect(try scene.local.progress() == progress(server: 7))
  }

  @Test func acknowledgedChangesAreNotRepeated() throws {
    let scene = try ResetScene([.createObject(task(1))])
    let first = try scene.local.writeLocally([.addInteger(task(1).at("progress"), delta: 1)])
    try scene.local.writeLocally([.addInteger(task(1).at("progress"), delta: 10)])
    try scene.local.integrate([], progress: progress(server: 900, upload: first))
    try scene.changeOnServer([.addInteger(task(1).at("progress"), delta: 1)])
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(try scene.local.objects.read(task(1), "progress") == .int(11))
  }

  @Test func defaultsDoNotReplaceWhatIsThere() throws {
    let scene = try ResetScene([.createObject(task(1))])
    let byDefault = { Instruction.update(task($0).at("title"), .value(.string("default")), .isDefault(true)) }
    try scene.local.writeLocally([.createObject(task(1)), byDefault(1), .createObject(task(2)), byDefault(2)])
    try scene.changeOnServer([setTitle(1, "theirs")])
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(try scene.local.objects.read(task(1), "title") == .string("theirs"))
    #expect(try scene.local.objects.read(task(2), "title") == .string("default"))
  }

  @Test func pendingSubscriptionSetsStay() throws {
    let scene = try ResetScene()
    let set = try scene.local.addSubscriptionSet([subscription("Task")])
    try scene.local.storeBootstrapBatch(queryVersion: set.version, entries: [], end: nil)
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(try scene.local.subscriptionSet(version: 0)?.state == .complete)
    #expect(try scene.local.subscriptionSet(version: set.version)?.state == .pending)
    #expect(try scene.local.latestSubscriptionSet().subscriptions == [subscription("Task")])
  }

  @Test func classesThatTheServerDoesNotKnowYetAreUploadedWithTheirObjects() throws {
    let scene = try ResetScene(schema: taskSchema)
    let changes = ObjectStore.declarations(of: noteSchema) + [.createObject(note(1))]
    try scene.local.writeLocally(changes)
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(ChangesetCodec.encode(try scene.recovered()) == ChangesetCodec.encode(changes))
    #expect(try scene.local.objects.row(of: note(1)) != nil)
    try scene.expectUploadsLeadToTheSameState()
  }

  @Test func aChangeThatTakesSchemaAwayMakesTheResetFail() throws {
    let scene = try ResetScene()
    try scene.local.database.write {
      _ = try scene.local.recordLocalChanges([.eraseColumn(table: "Task", name: "title")], timestamp: 1)
    }
    #expect(throws: ClientResetError.self) { try scene.local.reset(to: scene.fresh, .recover) }
  }

  @Test func whatWasKnownOfTheHistoryIsForgotten() throws {
    let scene = try ResetScene([.createObject(task(1)), .createObject(task(2))])
    try scene.local.writeLocally([.eraseObject(task(2)), setTitle(1, "mine")])
    try scene.local.integrate([entry(901, base: 0, [setTitle(1, "theirs")])], progress: progress(server: 901))
    // The server has lost its data and counts anew.
    try scene.fresh.setFileIdent(SaltedFileIdent(ident: 2, salt: 5))
    try scene.fresh.database.write { try scene.fresh.saveProgress(progress(server: 901)) }
    try scene.changeOnServer([.eraseObject(task(2))])
    try scene.local.reset(to: scene.fresh, .recover)
    try scene.local.integrate(
      [entry(902, base: 0, [.createObject(task(2))])],
      progress: progress(server: 902)
    )
    #expect(try scene.local.objects.row(of: task(2)) != nil)
  }

  @Test func theResetIsRemembered() throws {
    let scene = try ResetScene()
    let record = ClientResetRecord(stage: .demanded, kind: .recover, code: 208, text: "please reset")
    #expect(try scene.local.clientReset() == nil)
    try scene.local.setClientReset(record)
    #expect(try scene.folder.openRealm().clientReset() == record)
    try scene.local.setClientReset(nil)
    #expect(try scene.local.clientReset() == nil)
  }
}

extension Instruction {
  fileprivate var isOfList: Bool {
    if case .arrayInsert = self { true } else { false }
  }
}
