// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// A realm per thread or actor on one file.
@Suite struct ThreadTests {
  let file: LocalFile

  init() throws { file = try LocalFile() }

  @Test func writersOnManyThreadsLoseNothing() async throws {
    let file = file
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          try await inBackground {
            let realm = try file.open()
            for index in 0..<25 {
              try realm.write {
                realm.add(Everything(writer * 1000 + index))
                realm.create(Person.self, value: ["name": "counter"], update: .modified).age += 1
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let realm = try file.open()
    #expect(realm.objects(Everything.self).count == 100)
    #expect(realm.object(ofType: Person.self, forPrimaryKey: "counter")?.age == 118)
  }

  @Test func readersSeeWholeTransactions() async throws {
    let file = file
    let setup = try file.open()
    try setup.write { setup.add([Person("left", age: 0), Person("right", age: 0)]) }
    async let writing: Void = inBackground {
      let realm = try file.open()
      for age in 1...50 {
        try realm.write { for person in realm.objects(Person.self) { person.age = age } }
      }
    }
    async let reading: Int = inBackground {
      let realm = try file.open()
      var last = 0
      while last < 50 {
        realm.refresh()
        let ages = realm.objects(Person.self).map(\.age)
        #expect(ages.count == 2 && ages[0] == ages[1] && ages[0] >= last)
        last = ages[0]
      }
      return last
    }
    try await writing
    #expect(try await reading == 50)
  }

  private actor Notebook {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(configuration: configuration, actor: self)
    }

    func write(_ name: String) throws {
      guard let realm else { return }
      try realm.write { realm.add(Person(name)) }
    }

    var names: [String] { realm.map { $0.objects(Person.self).map(\.name) } ?? [] }

    func close() { realm = nil }
  }

  // Feature 147, 191
  @Test func actorsHaveRealmsOfTheirOwn() async throws {
    let (first, second) = (Notebook(), Notebook())
    try await first.open(file.configuration)
    try await second.open(file.configuration)
    try await first.write("Ada")
    try await eventually { await second.names == ["Ada"] }
    await first.close()
    await second.close()
  }

  /// Runs each job on a thread of its own, one at a time. The threads stay, so that no two are the same.
  private final class WanderingExecutor: SerialExecutor {
    private let turn = NSLock()
    private let end = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      Thread { [self] in
        turn.withLock { job.runSynchronously(on: asUnownedSerialExecutor()) }
        end.wait()
        end.signal()
      }.start()
    }

    func stop() { end.signal() }
  }

  private actor Wanderer {
    private let executor = WanderingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    deinit { executor.stop() }

    private var presentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    /// Writes in one transaction from several threads, and gives the number of the threads and of the objects.
    func write(_ file: LocalFile, asynchronously: Bool) async throws -> (threads: Int, objects: Int) {
      let realm =
        asynchronously
        ? try await Realm.open(configuration: file.configuration) : try file.open()
      var threads: Set<ObjectIdentifier> = []
      realm.beginWrite()
      for age in 0..<3 {
        threads.insert(presentThread)
        realm.add(Person("of \(age)", age: age))
        await _Concurrency.Task.yield()
      }
      try realm.commitWrite()
      return (threads.count, realm.objects(Person.self).count)
    }
  }

  @Test(arguments: [true, false])
  func aTransactionOfAnActorGoesOnOnWhicheverThreadTheActorDoes(isOpenedAsynchronously: Bool) async throws {
    let written = try await Wanderer().write(file, asynchronously: isOpenedAsynchronously)
    #expect(written.threads == 3 && written.objects == 3)
  }
}
