// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncSimulator
import FlexSyncStore
import Testing

/// What a realm file does when the device fails, or has no room, in the middle of an operation.
@Suite struct RealmFaultTests {
  /// A thing that is done to a realm file, and what has to be there before.
  struct Operation: CustomTestStringConvertible, Sendable {
    let name: String
    var prepare: @Sendable (RealmFile) throws -> Void = { _ in }
    let perform: @Sendable (RealmFile) throws -> Void
    var testDescription: String { name }
  }

  static let operations = [
    Operation(name: "declaring a schema") { realm in
      try realm.database.write { try realm.objects.declare(taskSchema) }
    },
    Operation(name: "a local change", prepare: { try $0.declareTasks() }) {
      try $0.writeLocally(makeTasks(1...20))
    },
    Operation(
      name: "erasing locally",
      prepare: {
        try $0.declareTasks()
        try $0.writeLocally(makeTasks(1...20))
      },
      perform: { try $0.writeLocally((1...20).map { .eraseObject(task($0)) }) }
    ),
    Operation(
      name: "integrating a download over local changes",
      prepare: {
        try $0.declareTasks()
        try $0.writeLocally(makeTasks(1...10))
      },
      perform: { realm in
        try realm.integrate(
          [incoming(1, makeTasks(5...20, title: "theirs")), incoming(2, makeTasks(21...22))],
          progress: progress(server: 2)
        )
      }
    ),
    Operation(
      name: "storing a batch of a bootstrap",
      prepare: { try $0.declareTasks() },
      perform: {
        try $0.storeBootstrapBatch(queryVersion: 0, entries: [incoming(1, makeTasks(1...20))], end: nil)
      }
    ),
    Operation(
      name: "storing and applying the end of a bootstrap",
      prepare: { realm in
        try realm.declareTasks()
        try realm.writeLocally(makeTasks(3...5, title: "mine"))
        try realm.storeBootstrapBatch(queryVersion: 0, entries: [incoming(1, makeTasks(1...10))], end: nil)
      },
      perform: { realm in
        try realm.database.write {
          try realm.storeBootstrapBatch(
            queryVersion: 0,
            entries: [incoming(1, makeTasks(11...20))],
            end: progress(server: 1)
          )
          try realm.applyBootstrap()
        }
      }
    ),
    Operation(
      name: "discarding a bootstrap",
      prepare: { realm in
        try realm.declareTasks()
        try realm.storeBootstrapBatch(queryVersion: 0, entries: [incoming(1, makeTasks(1...10))], end: nil)
      },
      perform: { try $0.discardIncompleteBootstrap() }
    ),
    Operation(name: "adding a subscription set", prepare: { try $0.declareTasks() }) {
      _ = try $0.addSubscriptionSet([subscription])
    },
    Operation(
      name: "a set that the server refuses",
      prepare: { realm in _ = try realm.addSubscriptionSet([subscription]) },
      perform: { try $0.failSubscriptionSet(version: 1, errorText: "no such class") }
    ),
    Operation(
      name: "reading uploads",
      prepare: {
        try $0.declareTasks()
        try $0.writeLocally(makeTasks(1...20))
      },
      perform: { realm in
        let batch = try realm.uploads(after: 0, byteLimit: 1 << 20)
        #expect(batch.entries.count == 1)
      }
    ),
  ]

  /// A disk as it is before an operation.
  private func prepare(_ operation: Operation) throws -> MountedDisk {
    let mounted = MountedDisk()
    try operation.prepare(mounted.openRealm())
    return mounted
  }

  /// What is in the file before and after.
  private func outcomes(_ operation: Operation, on prepared: MountedDisk) throws -> Outcomes {
    let mounted = MountedDisk(copyOf: prepared)
    let before = try mounted.dump()
    try operation.perform(mounted.openRealm())
    return Outcomes(before: before, after: try mounted.dump())
  }

  private struct Outcomes {
    let before: [String]
    let after: [String]
  }

  /// Performs an operation that fails, frees it of what made it fail, and performs it again.
  ///
  /// - Returns: the error; nil if there was none.
  private func performTwice(
    _ operation: Operation,
    _ outcomes: Outcomes,
    _ mounted: MountedDisk,
    _ realm: RealmFile,
    repair: () -> Void
  ) throws -> StorageError? {
    var failure: StorageError?
    do {
      try operation.perform(realm)
    } catch let error as StorageError {
      failure = error
    }
    repair()
    #expect(realm.database.transactionState == .none)
    guard failure != nil else {
      #expect(try mounted.dump() == outcomes.after)
      return nil
    }
    #expect(try mounted.dump() == outcomes.before)
    try operation.perform(realm)
    #expect(try mounted.dump() == outcomes.after)
    return failure
  }

  @Test(arguments: operations)
  func afterAnyFailureOfTheDeviceNothingHasHappenedAndTheNextAttemptSucceeds(_ operation: Operation) throws {
    let prepared = try prepare(operation)
    let outcomes = try outcomes(operation, on: prepared)
    var failures = 0
    for repetitions in [1, .max] {
      var number = 1
      while true {
        let mounted = MountedDisk(copyOf: prepared)
        let realm = try mounted.openRealm()
        mounted.disk.fail(nil, number: number, repetitions: repetitions)
        let error = try performTwice(operation, outcomes, mounted, realm) { mounted.disk.clearFaults() }
        guard mounted.disk.statistics.injectedFailures > 0 else { break }
        number += repetitions == 1 ? 2 : 9
        guard let error else { continue }
        failures += 1
        #expect([.inputOutput, .cannotOpen].contains(error.kind), "\(error)")
        #expect(error.message.contains("test.flexsync"))
      }
    }
    #expect(failures > 3)
  }

  @Test(arguments: operations.filter { $0.name != "reading uploads" })
  func onAFullDiskNothingHasHappenedAndWithRoomTheNextAttemptSucceeds(_ operation: Operation) throws {
    let prepared = try prepare(operation)
    let outcomes = try outcomes(operation, on: prepared)
    var room = 0
    while true {
      let mounted = MountedDisk(copyOf: prepared)
      let realm = try mounted.openRealm()
      mounted.disk.capacity = mounted.disk.usedBytes + room
      let error = try performTwice(operation, outcomes, mounted, realm) { mounted.disk.capacity = nil }
      guard let error else { break }
      #expect(error.kind == .diskFull, "\(error)")
      #expect(error.message.contains("Free space and try again"))
      room += 9001
    }
    #expect(room > 0)
  }

  @Test func openingFailsCleanlyAndSucceedsLater() throws {
    for repetitions in [1, .max] {
      var number = 1
      while true {
        let mounted = MountedDisk()
        mounted.disk.fail(nil, number: number, repetitions: repetitions)
        do {
          _ = try mounted.openRealm()
        } catch let error as StorageError {
          // The folder is looked for on the real disk.
          #expect([.inputOutput, .cannotOpen, .directoryMissing].contains(error.kind), "\(error)")
        }
        let isOver = mounted.disk.statistics.injectedFailures == 0
        mounted.disk.clearFaults()
        #expect(try mounted.openRealm().clientVersion() == 1)
        if isOver { break }
        number += repetitions == 1 ? 1 : 7
      }
    }
  }

  @Test func openingOnAFullDiskSucceedsWhenThereIsRoom() throws {
    var room = 0
    while true {
      let mounted = MountedDisk()
      mounted.disk.capacity = room
      do {
        _ = try mounted.openRealm()
        break
      } catch let error as StorageError {
        #expect(error.kind == .diskFull, "\(error)")
      }
      mounted.disk.capacity = nil
      #expect(try mounted.openRealm().clientVersion() == 1)
      room += 9001
    }
    #expect(room > 30_000)
  }

  /// An app may ignore an error and commit all the same.
  @Test func aTransactionThatIsNotCompleteCannotBeCommitted() throws {
    for operation in [DiskOperation.read, .write] {
      var number = 1
      while true {
        let mounted = MountedDisk()
        do {
          let realm = try mounted.openRealm()
          try realm.declareTasks()
          try realm.writeLocally(makeTasks(1...40))
        }
        let realm = try mounted.openRealm()
        let before = try mounted.dump()
        try realm.database.beginWrite()
        mounted.disk.fail(operation, number: number)
        var hasFailed = false
        for key in 1...60 as ClosedRange<Int64> {
          do {
            try realm.objects.apply([.eraseObject(task(61 - key))])
            try realm.objects.apply(makeTasks(100 + key...100 + key))
          } catch is StorageError {
            hasFailed = true
          }
        }
        guard mounted.disk.statistics.injectedFailures > 0 else {
          try realm.database.rollback()
          break
        }
        mounted.disk.clearFaults()
        #expect(hasFailed)
        let error = #expect(throws: StorageError.self) {
          try realm.recordLocalChanges(makeTasks(1...1), timestamp: 1)
        }
        #expect(error?.kind == .inputOutput)
        #expect(throws: StorageError.self) { try realm.database.commit() }
        #expect(try mounted.dump() == before)
        try realm.writeLocally(makeTasks(1000...1001))
        number += 5
      }
      #expect(number > 10)
    }
  }
}
