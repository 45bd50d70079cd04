// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSync
import Foundation
import Testing

/// Write transactions that wait for their turn without blocking.
@Suite struct AsyncWriteTests {
  let file: LocalFile

  init() throws { file = try LocalFile() }

  @MainActor private func open() async throws -> Realm { try await Realm(configuration: file.configuration) }

  /// Begins a transaction on a thread of its own, which ends when `end` is signaled.
  private func holdTurn(until end: DispatchSemaphore, cancels: Bool = false) async throws {
    let file = file
    let hasBegun = DispatchSemaphore(value: 0)
    Thread {
      guard let realm = try? file.open() else { return }
      realm.beginWrite()
      realm.add(Person("thread"))
      hasBegun.signal()
      end.wait()
      if cancels { realm.cancelWrite() } else { try? realm.commitWrite() }
    }.start()
    try await inBackground { hasBegun.wait() }
  }

  @Test @MainActor func aTransactionRunsLaterAndReportsItsEnd() async throws {
    let realm = try await open()
    var events: [String] = []
    realm.writeAsync {
      #expect(realm.isInWriteTransaction)
      realm.add(Person("Ada"))
      events.append("block")
    } onComplete: { error in
      #expect(error == nil && !realm.isInWriteTransaction)
      events.append("complete \(realm.objects(Person.self).count)")
    }
    #expect(events == [] && realm.isPerformingAsynchronousWriteOperations)
    try await eventually { events == ["block", "complete 1"] }
    #expect(!realm.isPerformingAsynchronousWriteOperations)
  }

  @Test @MainActor func aTransactionRunsAndReportsItsEndAlsoIfTheProgramLetsGoOfTheRealm() async throws {
    var events: [String] = []
    func save() async throws {
      let realm = try await open()
      realm.beginAsyncWrite { events.append("begun") }
      realm.writeAsync {
        events.append("block")
      } onComplete: { _ in
        events.append("complete")
      }
    }
    try await save()
    try await eventually { events == ["begun", "block", "complete"] }
  }

  @Test @MainActor func transactionsRunInOrderAndNotUnlessTheyCommit() async throws {
    let realm = try await open()
    var names: [String] = []
    realm.beginAsyncWrite {
      realm.add(Person("first"))
      realm.beginAsyncWrite {
        names = realm.objects(Person.self).map(\.name)
        realm.commitAsyncWrite()
      }
      realm.commitAsyncWrite()
    }
    realm.beginAsyncWrite { realm.add(Person("reverted")) }
    let canceled = realm.beginAsyncWrite { realm.add(Person("canceled")) }
    realm.writeAsync { realm.add(Person("second")) }
    try realm.cancelAsyncWrite(canceled)
    try await eventually { !realm.isPerformingAsynchronousWriteOperations }
    #expect(names == ["first", "second"])
  }

  @Test @MainActor func aTransactionThatBeginsAtOnceGoesAheadOfThoseThatWait() async throws {
    let realm = try await open()
    var counts: [Int] = []
    for _ in 0..<2 { realm.writeAsync { counts.append(realm.objects(Person.self).count) } }
    try realm.write { realm.add(Person("Ada")) }
    realm.beginWrite()
    realm.cancelWrite()
    try await eventually { counts == [1, 1] }
  }

  @Test @MainActor func theCompletionOfACommitCanBeCanceled() async throws {
    let realm = try await open()
    var calls: [String] = []
    realm.beginWrite()
    realm.add(Person("Ada"))
    let id = realm.commitAsyncWrite { _ in calls.append("canceled") }
    try realm.cancelAsyncWrite(id)
    realm.beginWrite()
    realm.commitAsyncWrite(allowGrouping: true) { _ in calls.append("called") }
    try await eventually { calls == ["called"] }
    #expect(realm.objects(Person.self).count == 1)
  }

  @Test @MainActor func aTaskWaitsWithoutBlockingItsActor() async throws {
    let realm = try await open()
    let end = DispatchSemaphore(value: 0)
    try await holdTurn(until: end)
    var hasRun = false
    let task = _Concurrency.Task { @MainActor in
      try await realm.asyncWrite {
        #expect(realm.isPerformingAsynchronousWriteOperations)
        hasRun = true
        return realm.objects(Person.self).count
      }
    }
    for _ in 0..<10 { try await _Concurrency.Task.sleep(for: .milliseconds(2)) }
    #expect(!hasRun)
    end.signal()
    #expect(try await task.value == 1)
    #expect(!realm.isPerformingAsynchronousWriteOperations)
  }

  @Test @MainActor func aTaskThatIsCanceledGivesItsTurnUp() async throws {
    let realm = try await open()
    let end = DispatchSemaphore(value: 0)
    try await holdTurn(until: end, cancels: true)
    let task = _Concurrency.Task { @MainActor in
      try await realm.asyncWrite { Issue.record("a canceled task wrote") }
    }
    let next = _Concurrency.Task { @MainActor in try await realm.asyncWrite { realm.add(Person("Ada")) } }
    try await eventually { realm.isPerformingAsynchronousWriteOperations }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    end.signal()
    try await next.value
    #expect(realm.objects(Person.self).map(\.name) == ["Ada"])
    let canceled = _Concurrency.Task { @MainActor in
      withUnsafeCurrentTask { $0?.cancel() }
      try await realm.asyncWrite { Issue.record("a canceled task wrote") }
    }
    await #expect(throws: CancellationError.self) { try await canceled.value }
  }

  @Test func tasksTakeTurns() async throws {
    let file = file
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let realm = try await Realm.open(configuration: file.configuration)
          for index in 0..<5 { try await realm.asyncWrite { realm.add(Person("\(number) \(index)")) } }
        }
      }
      try await group.waitForAll()
    }
    let realm = try file.open()
    #expect(realm.objects(Person.self).count == 40)
  }

  @Test func anErrorInTheBlockRevertsTheTransaction() async throws {
    let realm = try file.open()
    await #expect(throws: NeverHappened.self) {
      try await realm.asyncWrite {
        realm.add(Person("Ada"))
        throw NeverHappened(description: "refused")
      }
    }
    #expect(realm.objects(Person.self).count == 0)
    try await realm.asyncWrite {
      realm.add(Person("Bob"))
      realm.cancelWrite()
      realm.beginWrite()
      realm.add(Person("Cyd"))
    }
    #expect(realm.objects(Person.self).map(\.name) == ["Cyd"])
  }
}
