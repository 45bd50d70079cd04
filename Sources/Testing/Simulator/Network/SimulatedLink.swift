// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport

/// A simulated connection between a client and the server. It keeps itself alive while something is on its way.
final class SimulatedLink {
  enum Side: Int {
    case client = 0
    case server = 1

    var other: Side { self == .client ? .server : .client }
  }

  /// What is on its way in one direction.
  private struct Direction {
    var lastArrival: UInt64 = 0
    /// What waits because the way is cut or the reader reads nothing.
    var held: [[UInt8]] = []
  }

  private let time: SimulatedTime
  private let way: NetworkWay
  private(set) var client: SimulatedChannel?
  private(set) var server: SimulatedChannel?
  private var directions = [Direction(), Direction()]
  /// Nothing arrives any more.
  private var isBroken = false
  /// Which end has closed the connection; nil while it is open or if it broke.
  private(set) var closer: Side?

  init(_ time: SimulatedTime, way: NetworkWay) {
    self.time = time
    self.way = way
  }

  func attach(client: SimulatedChannel, server: SimulatedChannel) {
    self.client = client
    self.server = server
  }

  private func channel(_ side: Side) -> SimulatedChannel? { side == .client ? client : server }

  /// Whether both ends are open, and connected.
  var works: Bool { !isBroken && client?.isOpen == true && server?.isOpen == true }

  // MARK: Messages

  func carry(_ message: [UInt8], from side: Side) {
    guard !isBroken else { return }
    let now = time.now
    let arrival = max(directions[side.rawValue].lastArrival, now + way.delay())
    directions[side.rawValue].lastArrival = arrival
    time.schedule(after: arrival - now) { [self] in arrived(message, from: side) }
  }

  private func arrived(_ message: [UInt8], from side: Side) {
    guard !isBroken else { return }
    let isHeld = way.isCut || (side == .server && way.isReaderStalled)
    guard !isHeld, directions[side.rawValue].held.isEmpty else {
      return directions[side.rawValue].held.append(message)
    }
    hand(message, from: side)
  }

  private func hand(_ message: [UInt8], from side: Side) {
    way.count(message, from: side)
    channel(side.other)?.deliver(message)
    channel(side)?.messageTaken(byteCount: message.count)
  }

  /// The way is open again, or the reader reads again.
  func release() {
    for side in [Side.client, .server] {
      while !isBroken, !way.isCut, !(side == .server && way.isReaderStalled),
        !directions[side.rawValue].held.isEmpty
      {
        hand(directions[side.rawValue].held.removeFirst(), from: side)
      }
    }
  }

  // MARK: The end

  /// One end has closed in good order: what it sent before arrives, and then the other end notices.
  func closed(by side: Side) {
    let delay = max(directions[side.rawValue].lastArrival, time.now) - time.now + way.delay()
    time.schedule(after: delay) { [self] in
      guard !isBroken else { return }
      if way.isCut { return breakUp(noticedBy: []) }
      closer = side
      breakUp(noticedBy: [side.other])
    }
  }

  /// The connection breaks; what is on its way is lost.
  func breakUp(noticedBy sides: [Side]) {
    guard !isBroken else { return }
    isBroken = true
    directions = [Direction(), Direction()]
    for side in sides { channel(side)?.lose("the connection broke") }
    for side in [Side.client, .server] where !sides.contains(side) {
      // An end that has not noticed does so when its own words are not confirmed for long.
      time.schedule(after: way.silenceBeforeLoss()) { [self] in
        channel(side)?.lose("the other end does not answer")
      }
    }
  }
}
