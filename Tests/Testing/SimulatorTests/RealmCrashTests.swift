// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncSimulator
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncCore

/// What a realm file holds after a crash at any operation: what it held after one of its transactions.
@Suite struct RealmCrashTests {
  /// What is done to the file, a transaction each.
  private static let steps: [@Sendable (RealmFile) throws -> Void] = [
    { realm in try realm.database.write { try realm.objects.declare(taskSchema) } },
    { try $0.setFileIdent(SaltedFileIdent(ident: 2, salt: 4242)) },
    { try $0.writeLocally(makeTasks(1...4)) },
    { _ = try $0.addSubscriptionSet([subscription]) },
    { try $0.storeBootstrapBatch(queryVersion: 1, entries: [incoming(1, makeTasks(3...8))], end: nil) },
    { try $0.writeLocally(makeTasks(20...21)) },
    { realm in
      try realm.database.write {
        let last = [incoming(1, makeTasks(9...11))]
        try realm.storeBootstrapBatch(queryVersion: 1, entries: last, end: progress(server: 1))
        try realm.applyBootstrap()
      }
    },
    { try $0.completeSubscriptionSet(version: 1) },
    { realm in
      let erased = incoming(2, [.eraseObject(task(5)), .eraseObject(task(6))])
      try realm.integrate([erased], progress: progress(server: 2))
    },
    { try $0.writeLocally([.eraseObject(task(1))] + makeTasks(30...33)) },
    { realm in
      // Taken back and kept at once.
      let rejection = ServerRejection(
        error: RejectionError(code: 231, message: "reverted"),
        clientVersion: try realm.clientVersion(),
        serverVersion: 3,
        objects: [ServerRejection.Object(object: task(31), reason: "not allowed")]
      )
      let reverting = incoming(3, [.eraseObject(task(31))])
      try realm.integrate([reverting], progress: progress(server: 3), rejections: [rejection])
    },
    { realm in for rejection in try realm.untoldRejections() { try realm.noteTold(rejection) } },
    { realm in
      guard let write = try realm.rejectedWrites().first else { return }
      try realm.database.write {
        let instructions = try realm.resubmitRejectedWrite(write.id)
        try realm.recordLocalChanges(instructions, timestamp: 900)
      }
    },
  ]

  /// How far a run has come.
  private struct Progress {
    var committed = 0
    var durable = 0
  }

  private func run(_ mounted: MountedDisk, _ progress: inout Progress, afterStep: () throws -> Void = {})
    throws
  {
    let realm = try mounted.openRealm()
    try realm.database.execute("PRAGMA wal_autocheckpoint=12")
    for (index, step) in Self.steps.enumerated() {
      try step(realm)
      progress.committed = index + 1
      try afterStep()
      // As before an upload.
      guard index % 3 == 2 else { continue }
      try realm.database.makeDurable()
      progress.durable = progress.committed
    }
  }

  /// What is in the file after each step.
  private func states() throws -> [[String]] {
    let mounted = MountedDisk()
    var progress = Progress()
    _ = try mounted.openRealm()
    var states = [try mounted.dump()]
    try run(mounted, &progress) { states.append(try mounted.dump()) }
    return states
  }

  private func crashEverywhere(
    _ crash: SimulatedDisk.Crash,
    seed: UInt64,
    check: (_ found: ClosedRange<Int>, Progress) -> Void
  ) throws {
    let states = try states()
    var change = 1
    while true {
      let mounted = MountedDisk(seed: seed &+ UInt64(change))
      var progress = Progress()
      mounted.disk.crash(crash, duringChange: change)
      do {
        try run(mounted, &progress)
      } catch is StorageError {
        #expect(mounted.disk.isCrashed)
      }
      guard mounted.disk.isCrashed else { break }
      mounted.disk.restart()
      _ = try mounted.openRealm()
      let dump = try mounted.dump()
      // Steps may leave the file as it was.
      if let first = states.firstIndex(of: dump), let last = states.lastIndex(of: dump) {
        check(first...last, progress)
      } else {
        Issue.record("after a crash at change \(change) the file is as it never was")
      }
      change += 3
    }
    #expect(change > 60)
  }

  @Test func aKilledProcessLosesNothing() throws {
    try crashEverywhere(.processKilled, seed: 1) { found, progress in
      #expect(found.upperBound >= progress.committed && found.lowerBound <= progress.committed + 1)
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func aLossOfPowerTakesOnlyTheLastStepsThatWereNotMadeDurable(seed: UInt64) throws {
    try crashEverywhere(.powerLost, seed: seed << 20) { found, progress in
      #expect(found.upperBound >= progress.durable && found.lowerBound <= progress.committed + 1)
    }
  }
}
