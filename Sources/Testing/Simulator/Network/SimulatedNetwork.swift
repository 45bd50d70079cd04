// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import FlexSyncTransport
import FlexSyncWire

/// The path between one client and the server: how long messages take, and the faults that affect it.
final class NetworkWay {
  private var random: SeededGenerator
  fileprivate(set) var isCut = false {
    didSet { hindranceCount += isCut == oldValue ? 0 : 1 }
  }
  fileprivate(set) var isReaderStalled = false {
    didSet { hindranceCount += isReaderStalled == oldValue ? 0 : 1 }
  }
  /// The number of times a fault has begun or ended.
  private(set) var hindranceCount = 0
  /// Called with each message that arrives.
  var onMessage: (([UInt8], SimulatedLink.Side) -> Void)?
  private(set) var messageCount = 0
  private(set) var byteCount = 0
  /// The usual delay in milliseconds, and its variation.
  private let usualDelay: UInt64
  private let jitter: UInt64
  /// The least number of milliseconds between two messages of a connection.
  let spacing: UInt64

  init(random: SeededGenerator, spacing: UInt64 = 0) {
    self.random = random
    self.spacing = spacing
    usualDelay = self.random.pick([1, 5, 20, 100, 400])
    jitter = self.random.pick([0, 2, 30, 300])
  }

  private init(random: SeededGenerator, usualDelay: UInt64) {
    self.random = random
    self.usualDelay = usualDelay
    jitter = 0
    spacing = 0
  }

  /// Creates a way on which everything arrives immediately.
  static func immediate(random: SeededGenerator) -> NetworkWay { NetworkWay(random: random, usualDelay: 0) }

  func delay() -> UInt64 { usualDelay + random.number(in: 0...jitter) }

  func silenceBeforeLoss() -> UInt64 { random.number(in: 5_000...600_000) }

  func count(_ message: [UInt8], from side: SimulatedLink.Side) {
    messageCount += 1
    byteCount += message.count
    onMessage?(message, side)
  }
}

/// The network of a simulation: a star with the server in the middle.
final class SimulatedNetwork {
  private let time: SimulatedTime
  private(set) var ways: [NetworkWay]
  private var links: [SimulatedLink?]
  /// Accepts a client's connection; returns nil while the server is down.
  var accept: ((SimulatedLink, _ client: Int) -> SimulatedChannel?)?

  init(_ time: SimulatedTime, ways: [NetworkWay]) {
    self.time = time
    self.ways = ways
    links = Array(repeating: nil, count: ways.count)
  }

  convenience init(_ time: SimulatedTime, clientCount: Int, random: inout SeededGenerator) {
    self.init(time, ways: (0..<clientCount).map { _ in NetworkWay(random: random.split()) })
  }

  /// The outcome of a connection attempt.
  enum Answer {
    case connected(SimulatedChannel)
    case failed
  }

  /// Connects a client to the server, with the subprotocol that our clients prefer. A connection that nobody awaits
  /// any more is dropped.
  func connect(
    _ client: Int,
    scheduler: SimulatedScheduler,
    isAwaited: @escaping () -> Bool,
    completion: @escaping (Answer) -> Void
  ) {
    let name = SubprotocolNegotiation.clientOffer.first ?? ""
    connect(client, scheduler: scheduler, subprotocol: name) { answer in
      if isAwaited() { return completion(answer) }
      if case .connected(let channel) = answer { channel.drop() }
    }
  }

  /// Connects a client to the server.
  func connect(
    _ client: Int,
    scheduler: SimulatedScheduler,
    subprotocol: String,
    completion: @escaping (Answer) -> Void
  ) {
    let way = ways[client]
    time.schedule(after: way.delay()) { [self] in
      guard !scheduler.isStopping else { return }
      guard !way.isCut else {
        return scheduler.post(after: way.silenceBeforeLoss() / 10) { completion(.failed) }
      }
      let link = SimulatedLink(time, way: way)
      guard let server = accept?(link, client) else { return scheduler.post { completion(.failed) } }
      let channel = SimulatedChannel(link, .client, scheduler: scheduler, subprotocol: subprotocol)
      link.attach(client: channel, server: server)
      links[client] = link
      time.schedule(after: way.delay()) { scheduler.turn { completion(.connected(channel)) } }
    }
  }

  /// Returns whether a client and the server are connected and messages from one reach the other.
  func works(_ client: Int) -> Bool {
    let way = ways[client]
    return !way.isCut && !way.isReaderStalled && links[client]?.works == true
  }

  /// Returns whether the server has closed the connection of a client.
  func serverHasClosedConnection(of client: Int) -> Bool { links[client]?.closer == .server }

  // MARK: Faults

  /// Cuts the way of a client: nothing arrives until it is mended.
  func cut(_ client: Int) { ways[client].isCut = true }

  /// Makes a client stop reading until its way is mended.
  func stallReader(_ client: Int) { ways[client].isReaderStalled = true }

  func mend(_ client: Int) {
    ways[client].isCut = false
    ways[client].isReaderStalled = false
    links[client]?.release()
  }

  /// Breaks the connection of a client.
  func breakConnection(_ client: Int, noticedBy sides: [SimulatedLink.Side]) {
    links[client]?.breakUp(noticedBy: sides)
    links[client] = nil
  }
}
