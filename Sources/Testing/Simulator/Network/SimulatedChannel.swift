// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// One end of a simulated connection. Messages arrive complete and in order, but late, or not at all if the
/// connection breaks.
final class SimulatedChannel: MessageChannel {
  let subprotocol: String?
  var onMessage: ((UnsafeRawBufferPointer) -> Void)?
  var onClose: ((ChannelClosure) -> Void)?
  var onWritable: (() -> Void)?

  /// The loop of the process at this end.
  private let scheduler: SimulatedScheduler
  /// The link that carries messages; nil once this end is closed.
  private weak var link: SimulatedLink?
  private let side: SimulatedLink.Side
  private(set) var isOpen = true
  /// The number of bytes in transit.
  private var queuedBytes = 0
  private var wasFull = false
  private var isPaused = false
  /// Messages that arrived while reading was paused.
  private var waiting: [[UInt8]] = []

  /// The level above which the connection accepts no more data for now, as with a real one.
  private static let highWaterBytes = 256 * 1024
  private static let lowWaterBytes = 64 * 1024

  init(_ link: SimulatedLink, _ side: SimulatedLink.Side, scheduler: SimulatedScheduler, subprotocol: String?)
  {
    self.link = link
    self.side = side
    self.scheduler = scheduler
    self.subprotocol = subprotocol
  }

  var isWritable: Bool { queuedBytes < Self.highWaterBytes }

  func send(_ message: [UInt8]) {
    guard isOpen, !scheduler.isStopping else { return }
    queuedBytes += message.count
    if !isWritable { wasFull = true }
    link?.carry(message, from: side)
  }

  func drop() {
    guard isOpen else { return }
    isOpen = false
    link?.closed(by: side)
    tellClosed(nil)
  }

  // MARK: Events of the link

  /// Called when the other end has read a message from this one.
  func messageTaken(byteCount: Int) {
    queuedBytes -= byteCount
    guard isOpen, wasFull, queuedBytes < Self.lowWaterBytes else { return }
    wasFull = false
    scheduler.turn { onWritable?() }
  }

  func deliver(_ message: [UInt8]) {
    guard isOpen else { return }
    guard !isPaused, waiting.isEmpty else { return waiting.append(message) }
    scheduler.turn { message.withUnsafeBytes { onMessage?($0) } }
  }

  func pauseReading() { isPaused = true }

  func resumeReading() {
    isPaused = false
    scheduler.post { [self] in
      let messages = waiting
      waiting = []
      for message in messages { deliver(message) }
    }
  }

  /// Closes this end because it notices that the connection is lost.
  func lose(_ message: String) {
    guard isOpen else { return }
    isOpen = false
    tellClosed(TransportError(.connectionLost, message))
  }

  private func tellClosed(_ error: TransportError?) {
    scheduler.post { [self] in
      let onClose = onClose
      onMessage = nil
      onWritable = nil
      self.onClose = nil
      onClose?(ChannelClosure(code: nil, reason: "", error: error))
    }
  }
}
