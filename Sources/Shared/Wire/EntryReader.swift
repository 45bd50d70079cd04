// SPDX-License-Identifier: Apache-2.0

/// Parses the body of an UPLOAD or DOWNLOAD into entries. Each consists of a head of numbers and the bytes of a
/// changeset.
struct EntryReader {
  private let body: [UInt8]
  private var position = 0

  init(_ body: [UInt8]) { self.body = body }

  var isAtEnd: Bool { position == body.count }

  /// Reads the next number of an entry's head, which a space terminates.
  ///
  /// - Throws: Error 111.
  mutating func readNumber() throws(ProtocolError) -> UInt64 {
    // No number has more than 20 digits, so there is no need to search the entire body for a space.
    let limit = min(body.count, position + 21)
    guard let end = body[position..<limit].firstIndex(of: UInt8(ascii: " ")),
      let number = DecimalText.version(body[position..<end])
    else {
      throw ProtocolError(
        .badChangesetHeader,
        "bad number in the head of a changeset, at byte \(position) of the body"
      )
    }
    position = end + 1
    return number
  }

  /// Reads a changeset and the size before it, the last number of the head.
  ///
  /// - Throws: Errors 111 and 112.
  mutating func readChangeset() throws(ProtocolError) -> [UInt8] {
    let size = try readNumber()
    guard let size = Int(exactly: size), size <= body.count - position else {
      throw ProtocolError(
        .badChangesetSize,
        "changeset of \(size) bytes where the body has only \(body.count - position) left"
      )
    }
    defer { position += size }
    return Array(body[position..<position + size])
  }
}

/// Builds the body of an UPLOAD or DOWNLOAD.
struct EntryWriter {
  private(set) var body: [UInt8] = []

  mutating func writeNumbers(_ numbers: UInt64...) {
    for number in numbers {
      body.append(contentsOf: String(number).utf8)
      body.append(UInt8(ascii: " "))
    }
  }

  /// Writes a changeset after its size.
  mutating func writeChangeset(_ changeset: [UInt8]) {
    writeNumbers(UInt64(changeset.count))
    body.append(contentsOf: changeset)
  }
}
