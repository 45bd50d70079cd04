// SPDX-License-Identifier: Apache-2.0

/// Builds a message: the type, the fields of the head, and the body (protocol §2.1).
struct MessageWriter {
  private(set) var bytes: [UInt8]

  init(_ type: String) { bytes = Array(type.utf8) }

  mutating func writeField(_ number: some BinaryInteger) {
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: String(number).utf8)
  }

  mutating func writeField(_ flag: Bool) { writeField(flag ? 1 : 0) }

  mutating func writeCursor(_ cursor: DownloadCursor) {
    writeField(cursor.serverVersion)
    writeField(cursor.clientVersion)
  }

  mutating func writeCursor(_ cursor: UploadCursor) {
    writeField(cursor.clientVersion)
    writeField(cursor.serverVersion)
  }

  mutating func writeVersion(_ latest: LatestServerVersion) {
    writeField(latest.serverVersion)
    writeField(latest.salt)
  }

  /// Writes a number from 0 to 1 in its shortest form: 1 instead of 1.0. Values outside this range are clamped.
  mutating func writeFraction(_ fraction: Double) {
    if fraction > 0 && fraction < 1 {
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: "\(fraction)".utf8)
    } else {
      writeField(fraction > 0)
    }
  }

  mutating func finishHead() { bytes.append(UInt8(ascii: "\n")) }

  mutating func writeBody(_ body: some Collection<UInt8>) { bytes.append(contentsOf: body) }

  /// Writes the three fields that describe the compression of the body, and returns the body to write after the head
  /// (protocol §2.2).
  mutating func writeCompressionFields(_ body: [UInt8], isCompressionAllowed: Bool) -> [UInt8] {
    let isWorthTrying = isCompressionAllowed && body.count > MessageLimits.compressionThreshold
    let compressed = isWorthTrying ? Zlib.compress(body) : nil
    writeField(compressed != nil)
    writeField(body.count)
    writeField(compressed?.count ?? 0)
    return compressed ?? body
  }
}

/// Encodes a message that is not compressed.
func encodeMessage(_ type: String, _ fields: any BinaryInteger..., body: [UInt8] = []) -> [UInt8] {
  var writer = MessageWriter(type)
  for field in fields { writer.writeField(field) }
  writer.finishHead()
  writer.writeBody(body)
  return writer.bytes
}

/// Encodes a TEST_COMMAND, which has the same form in both directions.
func encodeTestCommand(_ session: SessionIdent, _ request: UInt64, _ text: String) -> [UInt8] {
  let body = Array(text.utf8)
  return encodeMessage("test_command", session, request, body.count, body: body)
}
