// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncProtocol

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
