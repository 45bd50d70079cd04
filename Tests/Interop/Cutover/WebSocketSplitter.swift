// SPDX-License-Identifier: Apache-2.0

/// Cuts what one side of a connection sends into the head of the handshake and messages. What is no WebSocket connection
/// stays whole.
struct WebSocketSplitter {
  struct Part {
    var bytes: [UInt8]
    /// Whether it is data, and neither a head nor a ping, pong or close.
    var isMessage: Bool
  }

  private enum State {
    case head
    case frames
    case anything
  }

  private var state = State.head
  private var buffer: [UInt8] = []

  /// The parts that are complete with these bytes.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [Part] {
    buffer += bytes
    var parts: [Part] = []
    while let part = next() { parts.append(part) }
    return parts
  }

  private mutating func next() -> Part? {
    switch state {
    case .head:
      guard let end = endOfHead else { return nil }
      let head = removeFirst(end)
      let text = String(decoding: head, as: UTF8.self).lowercased()
      state = text.contains("upgrade: websocket") ? .frames : .anything
      return Part(bytes: head, isMessage: false)
    case .frames:
      guard let size = frameSize, buffer.count >= size else { return nil }
      let isControl = buffer[0] & 0x08 != 0
      return Part(bytes: removeFirst(size), isMessage: !isControl)
    case .anything:
      return buffer.isEmpty ? nil : Part(bytes: removeFirst(buffer.count), isMessage: false)
    }
  }

  private var endOfHead: Int? {
    let end: [UInt8] = [13, 10, 13, 10]
    guard buffer.count >= end.count else { return nil }
    return (end.count...buffer.count).first { Array(buffer[($0 - end.count)..<$0]) == end }
  }

  /// The bytes of the first frame, if so much of it is there that it tells.
  private var frameSize: Int? {
    guard buffer.count >= 2 else { return nil }
    let length = Int(buffer[1] & 0x7f)
    let maskSize = buffer[1] & 0x80 == 0 ? 0 : 4
    let extra = length == 126 ? 2 : length == 127 ? 8 : 0
    guard buffer.count >= 2 + extra else { return nil }
    let size = extra == 0 ? length : buffer[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
    return 2 + extra + maskSize + size
  }

  private mutating func removeFirst(_ count: Int) -> [UInt8] {
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }
}
