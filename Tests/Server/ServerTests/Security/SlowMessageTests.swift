// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncServer

@Suite("Messages that arrive slowly")
struct SlowMessageTests {
  /// A server that cuts silent clients after a second, and the connection of a client.
  private func connection() throws -> (Harness, ServedApp, RawClient) {
    var limits = DeliveryLimits()
    limits.silenceMilliseconds = 1_000
    limits.slowestBytesPerSecond = 100_000
    let harness = try Harness(limits: limits)
    let served = try #require(harness.server.apps[Harness.appID])
    return (harness, served, try client(of: harness))
  }

  private func client(of harness: Harness) throws -> RawClient {
    let client = try RawClient(harness)
    try client.upgrade(harness, headers: ["Authorization: Bearer \(try harness.logIn().access)"])
    #expect(client.status == 101)
    return client
  }

  /// A message as long as a large upload, which the server refuses when it is complete.
  private func longMessage(byteCount: Int) -> [UInt8] {
    RawFrame.client(2, Array("nonsense ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: byteCount))
  }

  /// Sends bytes at a rate until all are sent or the server has ended the connection.
  ///
  /// - Returns: how many milliseconds it has taken.
  @discardableResult
  private func send(
    _ bytes: [UInt8],
    bytesPerMillisecond: Int,
    _ client: RawClient,
    _ harness: Harness,
    _ served: ServedApp
  ) throws -> UInt64 {
    let begin = EventLoop.monotonicMilliseconds
    var sentCount = 0
    try harness.run(
      until: {
        let elapsed = Int(EventLoop.monotonicMilliseconds - begin)
        let count = min(bytes.count, elapsed * bytesPerMillisecond)
        if count > sentCount { client.send(Array(bytes[sentCount..<count])) }
        sentCount = count
        served.sweep()
        return sentCount == bytes.count || client.isClosed
      },
      "sending",
      seconds: 20
    )
    return EventLoop.monotonicMilliseconds - begin
  }

  @Test("A long message on a slow link arrives, though it takes much longer than a client may be silent")
  func slowLink() throws {
    let (harness, served, client) = try connection()
    let count = client.received.count
    let message = longMessage(byteCount: 500_000)
    let time = try send(message, bytesPerMillisecond: 300, client, harness, served)
    #expect(time > 1_000 && !client.isClosed)
    // It was read: the server answers.
    try harness.run(until: { client.received.count > count || client.isClosed }, "answer")
    #expect(client.received.count > count || client.isClosed)
  }

  @Test(
    "If incomplete messages occupy too much memory, the server drops the connections that have taken longest"
  )
  func manyIncompleteMessages() throws {
    var limits = DeliveryLimits()
    limits.incompleteByteCount = 1_100_000
    let harness = try Harness(limits: limits)
    let served = try #require(harness.server.apps[Harness.appID])
    let clients = try (0..<3).map { _ in try client(of: harness) }
    for client in clients {
      client.send(Array(longMessage(byteCount: 500_000).dropLast()))
      let begin = EventLoop.monotonicMilliseconds
      try harness.run(
        until: {
          served.limitIncompleteMessages()
          return EventLoop.monotonicMilliseconds > begin + 100
        },
        "reading"
      )
    }
    try harness.run(until: { clients[0].isClosed }, "end of the connection")
    #expect(!clients[1].isClosed && !clients[2].isClosed)
  }

  @Test("A long message that drips in is cut off")
  func trickle() throws {
    let (harness, served, client) = try connection()
    let message = longMessage(byteCount: 500_000)
    // What has come earns a fifth of the 25 seconds that it would take.
    try send(message, bytesPerMillisecond: 20, client, harness, served)
    #expect(client.isClosed)
  }
}
