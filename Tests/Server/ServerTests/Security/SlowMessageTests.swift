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
    let client = try RawClient(harness)
    try client.upgrade(harness, headers: ["Authorization: Bearer \(try harness.logIn().access)"])
    #expect(client.status == 101)
    return (harness, served, client)
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

  @Test("A long message that drips in is cut off")
  func trickle() throws {
    let (harness, served, client) = try connection()
    let message = longMessage(byteCount: 500_000)
    // What has come earns a fifth of the 25 seconds that it would take.
    try send(message, bytesPerMillisecond: 20, client, harness, served)
    #expect(client.isClosed)
  }
}
