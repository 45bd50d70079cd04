// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore
@testable import FlexSyncWire

/// Both machines against each other, over a network that may break after any message.
@Suite("Client and server together")
struct SimulationTests {
  @Test("a new file synchronises both ways")
  func happyPath() throws {
    var world = World()
    world.connect()
    world.client.commit("schema")
    world.client.commitSet(1)
    world.client.commit("write")
    try world.run()
    #expect(world.client.setStates == [1: .complete])
    #expect(world.host.stream?.received.map(text) == ["schema", "write"])
    #expect(world.client.integrated.map(text) == ["first of 0", "last of 0", "first of 1", "last of 1"])
    world.host.change("remote")
    try world.run()
    #expect(world.client.integrated.map(text).last == "remote")
    try world.checkIsQuiet()
  }

  @Test(
    "a connection that breaks after any message loses nothing and repeats nothing",
    arguments: [1_000, 100_000] as [MonotonicTime]
  )
  func breaksAnywhere(offlineMilliseconds: MonotonicTime) throws {
    for clientFirst in [true, false] {
      for cut in 0..<60 {
        var scenario = Scenario(cuts: [cut], offlineMilliseconds: offlineMilliseconds)
        try scenario.run { clientFirst }
        try scenario.check("cut after \(cut) messages, client first: \(clientFirst)")
      }
    }
  }

  @Test("many breaks at random lose nothing and repeat nothing", arguments: 0..<150)
  func breaksAtRandom(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    var cut = 0
    let cuts = (0..<6).map { _ in
      cut += Int.random(in: 1...12, using: &random)
      return cut
    }
    var scenario = Scenario(cuts: cuts, offlineMilliseconds: Bool.random(using: &random) ? 500 : 70_000)
    scenario.restartsProcess = Bool.random(using: &random)
    scenario.world.client.defersFetches = Bool.random(using: &random)
    try scenario.run { Bool.random(using: &random) }
    try scenario.check("seed \(seed), cuts \(cuts)")
  }

  @Test("a server's transient error is survived at any time", arguments: 0..<40)
  func transientErrorAnywhere(after count: Int) throws {
    var scenario = Scenario(cuts: [], offlineMilliseconds: 0)
    scenario.transientErrorAfter = count
    try scenario.run { true }
    try scenario.check("error after \(count) messages")
  }

  @Test("a pause by the app is survived at any time", arguments: 0..<40)
  func pauseAnywhere(after count: Int) throws {
    var scenario = Scenario(cuts: [], offlineMilliseconds: 0)
    scenario.pauseAfter = count
    try scenario.run { false }
    try scenario.check("pause after \(count) messages")
  }
}

/// Writes on both sides and two subscription sets, with interruptions.
struct Scenario {
  var world = World()
  var cuts: [Int]
  let offlineMilliseconds: MonotonicTime
  var restartsProcess = false
  var transientErrorAfter: Int?
  var pauseAfter: Int?
  private var remaining = 0..<12

  init(cuts: [Int], offlineMilliseconds: MonotonicTime) {
    self.cuts = cuts
    self.offlineMilliseconds = offlineMilliseconds
  }

  mutating func run(clientFirst: () -> Bool) throws {
    world.client.commit("schema")
    world.connect()
    var rounds = 0
    while true {
      rounds += 1
      if rounds % 7 == 0 { world.client.answerFetch() }
      try #require(rounds < 5000, "the machines do not come to rest")
      interrupt()
      let isMoving = try world.step(clientFirst: clientFirst())
      if rounds % 3 == 0 || !isMoving {
        if let action = remaining.popFirst() {
          act(action)
        } else if !isMoving, !world.client.answerFetch() {
          break
        }
      }
    }
  }

  private mutating func act(_ action: Int) {
    switch action {
    case 2: world.client.commitSet(1)
    case 6: world.client.commitSet(2)
    case _ where action % 2 == 0: world.client.commit("write \(action)")
    default: world.host.change("remote \(action)")
    }
  }

  private mutating func interrupt() {
    if let cut = cuts.first, world.deliveredCount >= cut {
      cuts.removeFirst()
      world.disconnect()
      if restartsProcess { world.client.restart() }
      world.now += offlineMilliseconds
      world.connect()
    }
    if let count = transientErrorAfter, world.deliveredCount >= count, let key = world.host.key {
      transientErrorAfter = nil
      let info = ErrorInfo(message: "please bind again", action: .transient, tryAgain: true)
      world.host.feed(.fail(key, .sessionClosed, info))
    }
    if let count = pauseAfter, world.deliveredCount >= count {
      pauseAfter = nil
      world.client.feed(.suspend)
      world.client.feed(.resume)
    }
    if world.client.session.activity == .waiting { world.client.feed(.timerFired) }
  }

  mutating func check(_ label: Comment) throws {
    try world.checkIsQuiet()
    let received = world.host.stream?.received.map(text) ?? []
    #expect(received == ["schema", "write 0", "write 4", "write 8", "write 10"], label)
    let remote = world.client.integrated.map(text).filter { $0.hasPrefix("remote") }
    #expect(Set(remote).count == remote.count, label)
    let placed = world.host.stream?.entries.map { text($0.changeset) } ?? []
    #expect(remote == placed, label)
    #expect(world.client.setStates == [2: .complete], label)
    #expect(world.client.integrated.map(text).suffix(20).contains("last of 2"), label)
    #expect(world.client.batches.isEmpty, label)
  }
}

/// A client and a server with a network between them.
struct World {
  var client = MemoryClient()
  var host = MemoryHost()
  var now: MonotonicTime = 0
  private var toServer: [ClientMessage] = []
  private var toClient: [ServerMessage] = []
  private(set) var deliveredCount = 0

  mutating func connect() {
    host.reconnect()
    client.feed(.connected(now))
  }

  mutating func disconnect() {
    toServer = []
    toClient = []
    host.feed(.closed)
    host.outbox = []
    client.feed(.disconnected(now))
    _ = client.takeMessages()
  }

  /// Delivers one message if there is any, from a side that `pick` chooses.
  mutating func step(clientFirst: Bool) throws -> Bool {
    collect()
    if clientFirst ? !toServer.isEmpty : toClient.isEmpty && !toServer.isEmpty {
      host.feed(.received(toServer.removeFirst().encode()))
    } else if !toClient.isEmpty {
      let message = toClient.removeFirst()
      client.feed(.received(try ServerMessage.decode(message.encode())))
    } else {
      return false
    }
    deliveredCount += 1
    return true
  }

  mutating func run(clientFirst: Bool = true) throws {
    var count = 0
    while try step(clientFirst: clientFirst) {
      count += 1
      try #require(count < 10_000, "the machines do not come to rest")
    }
  }

  /// Nobody broke the protocol, and there is nothing left to say.
  mutating func checkIsQuiet() throws {
    collect()
    #expect(toServer.isEmpty && toClient.isEmpty)
    #expect(!host.isClosed)
    #expect(host.hostViolations == [])
    let complaints = client.effects.filter { effect in
      switch effect {
      case .violation, .report: true
      default: false
      }
    }
    #expect(complaints == [])
  }

  private mutating func collect() {
    toServer += client.takeMessages()
    toClient += host.takeMessages()
  }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
