// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncSimulator
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncCore

/// What a realm file holds after a crash at any operation of a client reset: what it held before or after, and a reset
/// that begins again comes to the same end.
@Suite struct ResetCrashTests {
  private static let demanded = ClientResetRecord(stage: .demanded, kind: .recover, code: 208, text: "reset")
  private static let performed = ClientResetRecord(
    stage: .performed,
    kind: .recover,
    code: 208,
    text: "reset"
  )

  /// A file that has changes to upload.
  private func prepare(_ mounted: MountedDisk) throws {
    let realm = try mounted.openRealm()
    try download(realm, makeTasks(1...6), progress(server: 900), ident: 2)
    try realm.writeLocally(makeTasks(20...22))
    let tag = PropertyPath(object: task(1), field: "tags", path: [.index(0)])
    try realm.writeLocally([.update(tag, .value(.string("mine")), .priorSize(1)), .eraseObject(task(2))])
    try realm.database.makeDurable()
  }

  private func download(
    _ realm: RealmFile,
    _ changes: [Instruction],
    _ progress: SyncProgress,
    ident: UInt64
  ) throws {
    try realm.setFileIdent(SaltedFileIdent(ident: ident, salt: 7))
    let entry = incoming(progress.download.serverVersion, ObjectStore.declarations(of: taskSchema) + changes)
    try realm.storeBootstrapBatch(queryVersion: 0, entries: [entry], end: progress)
    try realm.applyBootstrap()
    try realm.completeSubscriptionSet(version: 0)
  }

  /// A reset as the session performs it.
  private func reset(_ mounted: MountedDisk, afterStep: () throws -> Void = {}) throws {
    let realm = try mounted.openRealm()
    try realm.database.execute("PRAGMA wal_autocheckpoint=12")
    try afterStep()
    guard try realm.clientReset() != Self.performed else { return }
    try realm.setClientReset(Self.demanded)
    try afterStep()
    let path = mounted.disk.path("fresh.flexsync")
    try DatabaseFiles.delete(at: path)
    do {
      let configuration = mounted.configuration("fresh.flexsync")
      let fresh = try RealmFile.open(configuration, owner: realm.owner)
      try download(
        fresh,
        makeTasks(1...3, title: "theirs") + makeTasks(40...44),
        progress(server: 7),
        ident: 9
      )
      try realm.database.write {
        try realm.reset(to: fresh, .recover)
        try realm.setClientReset(Self.performed)
      }
    }
    try afterStep()
    try DatabaseFiles.delete(at: path)
  }

  @Test(arguments: [SimulatedDisk.Crash.processKilled, .powerLost])
  func aResetHappensAsAWholeOrBeginsAgain(crash: SimulatedDisk.Crash) throws {
    let example = MountedDisk()
    try prepare(example)
    var states: [[String]] = []
    try reset(example) { states.append(try example.dump()) }
    #expect(Set(states).count == 3)
    var change = 1
    while true {
      let mounted = MountedDisk(seed: UInt64(change))
      try prepare(mounted)
      mounted.disk.crash(crash, duringChange: change)
      do {
        try reset(mounted)
      } catch is StorageError {
        #expect(mounted.disk.isCrashed)
      }
      guard mounted.disk.isCrashed else { break }
      mounted.disk.restart()
      _ = try mounted.openRealm()
      #expect(states.contains(try mounted.dump()), "after a crash at change \(change)")
      try reset(mounted)
      #expect(try mounted.dump() == states.last, "after a crash at change \(change)")
      change += 2
    }
    #expect(change > 20)
  }
}
