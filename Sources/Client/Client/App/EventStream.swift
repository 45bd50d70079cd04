// SPDX-License-Identifier: Apache-2.0

/// Reads a stream of server-sent events, however the network splits it.
struct EventStreamReader {
  struct Event: Equatable {
    /// Empty for a plain message.
    var type = ""
    var data = ""
  }

  /// The longest event that is accepted.
  private static let maximumBytes = 16 * 1024 * 1024

  private var line: [UInt8] = []
  private var type = ""
  private var data: [String] = []
  private var byteCount = 0

  /// Consumes bytes, and returns the events that they complete.
  ///
  /// - Throws: `CoreError` BAD_RESPONSE if an event is too long.
  mutating func feed(_ bytes: [UInt8]) throws -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    guard byteCount + line.count <= Self.maximumBytes else {
      throw CoreError(.badResponse, "the server sent an event that is too long")
    }
    return events
  }

  /// Returns the event that a line completes, which is an empty one.
  private mutating func endLine() -> Event? {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self)
    byteCount += line.count
    line.removeAll(keepingCapacity: true)
    guard text.isEmpty else {
      add(text)
      return nil
    }
    defer {
      type = ""
      data = []
      byteCount = 0
    }
    return data.isEmpty ? nil : Event(type: type, data: data.joined(separator: "\n").withoutEscapes)
  }

  private mutating func add(_ line: String) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count < 2 ? "" : parts[1]
    if value.hasPrefix(" ") { value.removeFirst() }
    switch parts[0] {
    case "event": type = String(value)
    case "data": data.append(String(value))
    default: break
    }
  }
}

extension String {
  /// The data of an event, in which App Services escapes line breaks and the percent sign, and nothing else.
  fileprivate var withoutEscapes: String {
    contains("%")
      ? replacing("%0A", with: "\n").replacing("%0D", with: "\r").replacing("%25", with: "%") : self
  }
}
