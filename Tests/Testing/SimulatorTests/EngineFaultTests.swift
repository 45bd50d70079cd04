// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncSimulator
import FlexSyncStore
import Testing

@testable import FlexSyncEngine

/// What the sync engine of a server does when its device fails, or has no room: it stays up, tells nobody what is not
/// stored, and goes on when it can.
@Suite struct EngineFaultTests {
  /// Two clients, and their server's disk.
  private struct Scene {
    let mounted: MountedDisk
    let clients: [EngineClient]

    func copy() -> Scene {
      Scene(mounted: MountedDisk(copyOf: mounted), clients: clients.map(EngineClient.init(copyOf:)))
    }

    /// What both clients wait for is done, or the time is over.
    func run(_ engine: SyncEngine, turns: Int = 12) throws {
      for _ in 0..<turns {
        for client in clients {
          client.identifyIfNew(engine)
          try client.step(engine)
        }
        engine.runTurn()
      }
    }
  }

  /// Something that a client, or both, want at the same time.
  enum Wish: CaseIterable {
    case upload, subscription, both, acknowledgement, newFile, newClass

    fileprivate func make(_ clients: [EngineClient]) -> [EngineClient] {
      switch self {
      case .upload: clients[0].write(makeTasks(4...9, title: "again"))
      case .subscription: clients[1].subscribe("title BEGINSWITH 'a'")
      case .both:
        clients[0].write([.eraseObject(task(1))])
        clients[1].write(makeTasks(1...1, title: "mine") + makeTasks(20...22))
        clients[0].subscribe("title BEGINSWITH 'm'")
      case .acknowledgement: break
      case .newFile: return clients + [EngineClient("carla")]
      case .newClass:
        let addition = ObjectStore.declarations(of: noteSchema)
        clients[0].write(addition + makeTasks(30...30))
        // The other one makes the class known as well, in the same turn.
        clients[1].write(addition + makeTasks(31...31))
      }
      return clients
    }
  }

  /// Both clients have written, and have downloaded what the other one wrote.
  private func prepare() throws -> Scene {
    let scene = Scene(mounted: MountedDisk(), clients: [EngineClient("ann"), EngineClient("ben")])
    let engine = try SyncEngine.open(scene.mounted)
    scene.clients[0].write(makeTasks(1...6))
    scene.clients[1].write(makeTasks(7...8))
    for client in scene.clients { client.subscribe("TRUEPREDICATE") }
    try scene.run(engine)
    for client in scene.clients {
      #expect(client.isQuiet)
      client.disconnect(engine)
    }
    return scene
  }

  private func wishing(_ wish: Wish, _ scene: Scene) -> Scene {
    let copy = scene.copy()
    return Scene(mounted: copy.mounted, clients: wish.make(copy.clients))
  }

  /// What the server has in the end.
  private func state(_ scene: Scene) throws -> [String] {
    try scene.mounted.dump("data.sqlite", application: .server).filter {
      line in
      ["Task", "flx_history", "flx_files", "flx_classes", "flx_declarations"].contains { line.hasPrefix($0) }
    }
  }

  private func check(_ scene: Scene, _ expected: [String]) throws {
    for client in scene.clients {
      #expect(client.isQuiet)
      #expect(client.failures == [])
    }
    #expect(try state(scene).map(withoutStream) == expected.map(withoutStream))
  }

  /// How often entries were placed anew does not count.
  private func withoutStream(_ line: String) -> String {
    line.hasPrefix("flx_files") ? line.split(separator: ",").prefix(4).joined(separator: ",") : line
  }

  /// Lets something fail once the clients are connected, then repairs it and goes on.
  private func survive(
    _ wish: Wish,
    _ prepared: Scene,
    _ expected: [String],
    break fault: (SimulatedDisk) -> Void,
    repair: (SimulatedDisk) -> Void,
    restarts: Bool
  ) throws -> (wasStruck: Bool, errors: [String]) {
    let scene = wishing(wish, prepared)
    let log = MessageLog()
    var engine = try SyncEngine.open(scene.mounted, log: log)
    fault(scene.mounted.disk)
    try scene.run(engine, turns: 4)
    let statistics = scene.mounted.disk.statistics
    if restarts {
      scene.mounted.disk.crash(.powerLost)
      scene.mounted.disk.restart()
      for client in scene.clients { client.drop() }
      scene.mounted.disk.capacity = nil
      engine = try SyncEngine.open(scene.mounted, log: log)
    } else {
      repair(scene.mounted.disk)
    }
    try scene.run(engine)
    try check(scene, expected)
    return (statistics.injectedFailures + statistics.fullFailures > 0, log.errors)
  }

  @Test(arguments: Wish.allCases)
  func afterAnyFailureOfTheDeviceEverybodyGetsWhatHeWants(_ wish: Wish) throws {
    let prepared = try prepare()
    let undisturbed = wishing(wish, prepared)
    try undisturbed.run(try SyncEngine.open(undisturbed.mounted))
    let expected = try state(undisturbed)
    try check(undisturbed, expected)
    for (repetitions, step) in [(1, 2), (Int.max, 3)] {
      var number = 1
      while true {
        let outcome = try survive(
          wish,
          prepared,
          expected,
          break: { $0.fail(nil, number: number, repetitions: repetitions) },
          repair: { $0.clearFaults() },
          restarts: number % 3 == 0
        )
        guard outcome.wasStruck else { break }
        number += step
      }
      #expect(number > 10)
    }
  }

  @Test(arguments: Wish.allCases.filter { $0 != .acknowledgement })
  func onAFullDiskNothingIsLostAndWithRoomEverybodyGetsWhatHeWants(_ wish: Wish) throws {
    let prepared = try prepare()
    let undisturbed = wishing(wish, prepared)
    try undisturbed.run(try SyncEngine.open(undisturbed.mounted))
    let expected = try state(undisturbed)
    var room = 0
    while true {
      let outcome = try survive(
        wish,
        prepared,
        expected,
        break: { $0.capacity = $0.usedBytes + room },
        repair: { $0.capacity = nil },
        restarts: room % 2 == 1
      )
      guard outcome.wasStruck else { break }
      #expect(outcome.errors.contains { $0.contains("No space is left") })
      room += 5001
    }
    #expect(room > 0)
  }

  @Test func whoseSessionFailsInATurnThatFailsIsNotLeftWaiting() throws {
    let prepared = try prepare()
    for room in 0..<12 {
      let scene = prepared.copy()
      let log = MessageLog()
      let engine = try SyncEngine.open(scene.mounted, log: log)
      scene.clients[0].write(makeTasks(4...40, title: "again"))
      scene.clients[1].write([.eraseTable(name: "Task")])
      scene.mounted.disk.capacity = scene.mounted.disk.usedBytes + room * 5001
      try scene.run(engine, turns: 4)
      if room == 0 { #expect(log.errors.contains { $0.contains("No space is left") }) }
      scene.mounted.disk.capacity = nil
      try scene.run(engine)
      #expect(scene.clients[0].isQuiet)
      #expect(scene.clients[0].failures == [])
      #expect(!scene.clients[1].failures.isEmpty, "room \(room): the client waits for ever")
    }
  }
}
