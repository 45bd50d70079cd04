// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport

/// A simulated connection between a client and the server. It keeps itself alive while messages are in transit.
final class SimulatedLink {
  enum Side: Int {
    case client = 0
    case server = 1

    var other: Side { self == .client ? .server : .client }
  }

  /// The messages in transit in one direction.
  private struct Direction {
    var lastArrival: UInt64 = 0
    /// Messages held back because the way is cut or the reader does not read.
    var held: [[UInt8]] = []
    /// Whether held messages are being delivered, one after the other.
    var isReleasing = false
  }

  private let time: SimulatedTime
  private let way: NetworkWay
  private(set) var client: SimulatedChannel?
  private(set) var server: SimulatedChannel?
  private var directions = [Direction(), Direction()]
  /// Whether the connection is broken and nothing arrives any longer.
  private var isBroken = false
  /// The end that closed the connection; nil while it is open or if it broke.
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

  /// Whether both ends are open and connected.
  var works: Bool { !isBroken && client?.isOpen == true && server?.isOpen == true }

  // MARK: Messages

  func carry(_ message: [UInt8], from side: Side) {
    guard !isBroken else { return }
    let now = time.now
    let arrival = max(directions[side.rawValue].lastArrival + way.spacing, now + way.delay())
    directions[side.rawValue].lastArrival = arrival
    time.schedule(after: arrival - now) { [self] in arrived(message, from: side) }
  }

  private func arrived(_ message: [UInt8], from side: Side) {
    guard !isBroken else { return }
    let isHeld = way.isCut || (side == .server && way.isReaderStalled)
    let direction = directions[side.rawValue]
    guard !isHeld, direction.held.isEmpty, !direction.isReleasing else {
      return directions[side.rawValue].held.append(message)
    }
    hand(message, from: side)
  }

  private func hand(_ message: [UInt8], from side: Side) {
    way.count(message, from: side)
    channel(side.other)?.deliver(message)
    channel(side)?.messageTaken(byteCount: message.count)
  }

  /// Delivers held messages once the way is open again or the reader reads again.
  func release() {
    for side in [Side.client, .server] where !directions[side.rawValue].isReleasing {
      releaseHeld(from: side)
    }
  }

  private func releaseHeld(from side: Side) {
    directions[side.rawValue].isReleasing = false
    while !isBroken, !way.isCut, !(side == .server && way.isReaderStalled),
      !directions[side.rawValue].held.isEmpty
    {
      hand(directions[side.rawValue].held.removeFirst(), from: side)
      guard way.spacing == 0 else {
        directions[side.rawValue].isReleasing = true
        return time.schedule(after: way.spacing) { [self] in releaseHeld(from: side) }
      }
    }
  }

  // MARK: Closing

  /// Closes the connection from one end: what it sent before still arrives, and then the other end notices.
  func closed(by side: Side) {
    let delay = max(directions[side.rawValue].lastArrival, time.now) - time.now + way.delay()
    time.schedule(after: delay) { [self] in
      guard !isBroken else { return }
      if way.isCut { return breakUp(noticedBy: []) }
      closer = side
      breakUp(noticedBy: [side.other])
    }
  }

  /// Breaks the connection. Messages in transit are lost.
  func breakUp(noticedBy sides: [Side]) {
    guard !isBroken else { return }
    isBroken = true
    directions = [Direction(), Direction()]
    for side in sides { channel(side)?.lose("the connection broke") }
    for side in [Side.client, .server] where !sides.contains(side) {
      // An end that has not noticed does so once its messages go unacknowledged for long.
      time.schedule(after: way.silenceBeforeLoss()) { [self] in
        channel(side)?.lose("the other end does not answer")
      }
    }
  }
}
