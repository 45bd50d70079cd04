// SPDX-License-Identifier: Apache-2.0

/// Enforces the line syntax of a request: each line ends with CR LF, and none continues the previous one (RFC 9112
/// §2.2, §5.2). http_parser accepts more. Some proxies do so as well and others do not, and where they disagree, a
/// request can be hidden inside another one. Performs no I/O.
struct HTTPLineCheck {
  private enum Place {
    case head
    case chunkSize
    case chunk(UInt64)
    case chunkEnd
    case trailers
    case end
  }

  private var place = Place.head
  private var previous: UInt8 = 0
  /// The length of the line without its end.
  private var lineLength = 0
  private var hasBegun = false
  private var size: UInt64 = 0
  private var isSizeOver = false

  /// Whether the empty line at the end of the head has been seen.
  private(set) var isHeadComplete = false

  /// Checks bytes up to the end of the head.
  ///
  /// - Returns: The number of bytes that belong to the head.
  mutating func checkHead(_ bytes: UnsafeRawBufferPointer) throws(HTTPParser.Failure) -> Int {
    for (offset, byte) in bytes.enumerated() {
      if try checkLine(byte), lineLength == 0, hasBegun {
        isHeadComplete = true
        place = .chunkSize
        return offset + 1
      }
      if previous == UInt8(ascii: "\n") { lineLength = 0 }
    }
    return bytes.count
  }

  /// Checks the content of a chunked request.
  mutating func checkChunks(_ bytes: UnsafeRawBufferPointer) throws(HTTPParser.Failure) {
    var offset = 0
    while offset < bytes.count {
      if case .chunk(let left) = place {
        let count = min(left, UInt64(bytes.count - offset))
        offset += Int(count)
        place = left > count ? .chunk(left - count) : .chunkEnd
        continue
      }
      if case .end = place { return }
      try checkChunkLine(bytes[offset])
      offset += 1
    }
  }

  private mutating func checkChunkLine(_ byte: UInt8) throws(HTTPParser.Failure) {
    if case .chunkSize = place { try countSize(byte) }
    guard try checkLine(byte) else { return }
    switch place {
    case .chunkSize:
      place = size > 0 ? .chunk(size) : .trailers
      size = 0
      isSizeOver = false
    case .chunkEnd: place = .chunkSize
    case .trailers where lineLength == 0: place = .end
    case .head, .chunk, .trailers, .end: break
    }
    lineLength = 0
  }

  private mutating func countSize(_ byte: UInt8) throws(HTTPParser.Failure) {
    guard !isSizeOver, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
      isSizeOver = true
      return
    }
    guard size >> 56 == 0 else { throw .malformed("a chunk is too long") }
    size = size << 4 | UInt64(digit)
  }

  /// - Returns: Whether the byte ends a line. The line's length is then in `lineLength`.
  private mutating func checkLine(_ byte: UInt8) throws(HTTPParser.Failure) -> Bool {
    let before = previous
    previous = byte
    if byte == UInt8(ascii: "\n") {
      guard before == UInt8(ascii: "\r") else { throw .malformed("a line does not end with CR LF") }
      return true
    }
    guard before != UInt8(ascii: "\r") else { throw .malformed("a line contains a CR that does not end it") }
    guard byte != UInt8(ascii: "\r") else { return false }
    if lineLength == 0, hasBegun, isField, byte == 0x20 || byte == 0x09 {
      throw .malformed("a header field continues on the next line")
    }
    lineLength += 1
    hasBegun = true
    return false
  }

  private var isField: Bool {
    switch place {
    case .head, .trailers: true
    case .chunkSize, .chunk, .chunkEnd, .end: false
    }
  }
}
