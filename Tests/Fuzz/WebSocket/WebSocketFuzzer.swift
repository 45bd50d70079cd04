// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncTransport

/// Reads any bytes as frames, at either end. Built by Scripts/fuzz with libFuzzer.
///
/// The first byte chooses the end and the pieces in which the rest arrives. How the network cuts frames must not change the
/// messages, none is longer than allowed, and what is answered is understood by the other end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebSocket(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  guard let mode = input.first else { return 0 }
  let role: WebSocketFraming.Role = mode & 0x80 == 0 ? .server : .client
  let wire = UnsafeRawBufferPointer(rebasing: input.dropFirst())
  let whole = outcome(wire, role, pieceLength: max(wire.count, 1))
  let pieces = outcome(wire, role, pieceLength: Int(mode & 0x3f) + 1)
  precondition(whole == pieces, "\(whole) when whole, \(pieces) in pieces")
  roundTrip(wire, from: role)
  return 0
}

private let maximumMessageBytes = 512

/// What the layers above learn of what arrives.
///
/// The code only of a close frame whose reason is ASCII, and not whether reading has ended: wslay passes over the first two
/// bytes of every piece when it looks whether a reason is UTF-8, so that the pieces decide whether and when another reason is
/// refused. The connection ends there either way, and nothing after it is a message.
private struct Outcome: Equatable {
  var messages: [[UInt8]] = []
  var closeCode: UInt16?
}

private func outcome(
  _ wire: UnsafeRawBufferPointer,
  _ role: WebSocketFraming.Role,
  pieceLength: Int
) -> Outcome {
  let framing = WebSocketFraming(role, maximumMessageBytes: maximumMessageBytes, maximumFragments: 16)
  var outcome = Outcome()
  var position = 0
  while position < wire.count, !framing.hasStoppedReading {
    let piece = UnsafeRawBufferPointer(rebasing: wire[position..<min(position + pieceLength, wire.count)])
    position += piece.count
    let failure = framing.receive(piece) { event in
      switch event {
      case .message(let bytes): outcome.messages.append(Array(bytes))
      case .close(let code, let reason):
        if reason.utf8.allSatisfy({ $0 < 0x80 }) { outcome.closeCode = code ?? 1005 }
      }
    }
    if failure != nil { break }
  }
  precondition(outcome.messages.allSatisfy { $0.count <= maximumMessageBytes })
  check(framing, role)
  return outcome
}

/// What the end answers is well-formed.
private func check(_ framing: WebSocketFraming, _ role: WebSocketFraming.Role) {
  var output: [UInt8] = []
  framing.takeOutput { output += $0 }
  let other = WebSocketFraming(role == .server ? .client : .server, maximumMessageBytes: maximumMessageBytes)
  let failure = output.withUnsafeBytes { other.receive($0) { _ in } }
  precondition(failure == nil, "the answer is not understood")
}

/// What one end sends arrives at the other.
private func roundTrip(_ message: UnsafeRawBufferPointer, from role: WebSocketFraming.Role) {
  let sender = WebSocketFraming(role, maximumMessageBytes: message.count)
  sender.send(message)
  var wire: [UInt8] = []
  sender.takeOutput { wire += $0 }
  let receiver = WebSocketFraming(role == .server ? .client : .server, maximumMessageBytes: message.count)
  var received: [[UInt8]] = []
  let failure = wire.withUnsafeBytes {
    receiver.receive($0) { if case .message(let bytes) = $0 { received.append(Array(bytes)) } }
  }
  precondition(failure == nil && received == [Array(message)], "a message is not what was sent")
}
