// SPDX-License-Identifier: Apache-2.0

/// Parses a message: the type, the fields of the head, and the body (protocol §2.1).
///
/// Every read checks its bounds. Any error becomes a `ProtocolError`.
struct MessageReader {
  /// The first word of the message.
  let type: String

  private let bytes: [UInt8]
  private let limits: MessageLimits
  /// The position of the line feed.
  private let headEnd: Int
  private var position: Int

  init(_ bytes: [UInt8], limits: MessageLimits) throws(ProtocolError) {
    guard let headEnd = bytes.prefix(MessageLimits.headByteCount + 1).firstIndex(of: Self.lineFeed) else {
      let reason =
        bytes.count > MessageLimits.headByteCount ? "its head is too long" : "its head does not end"
      throw ProtocolError(bytes.isEmpty ? .unknownMessage : .badSyntax, "bad message: \(reason)")
    }
    let typeEnd = bytes[..<headEnd].firstIndex(of: Self.space) ?? headEnd
    type = String(decoding: bytes[..<typeEnd], as: UTF8.self)
    self.bytes = bytes
    self.limits = limits
    self.headEnd = headEnd
    position = typeEnd
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")
}

// MARK: Fields of the head

extension MessageReader {
  /// Reads the next field as an unsigned 64-bit number.
  mutating func readNumber() throws(ProtocolError) -> UInt64 {
    let field = try readField()
    guard let number = DecimalText.number(field) else { throw badField(field) }
    return number
  }

  /// Reads the next field as a number that fits a signed 64-bit integer: versions, idents, timestamps.
  mutating func readVersion() throws(ProtocolError) -> UInt64 {
    let field = try readField()
    guard let number = DecimalText.version(field) else { throw badField(field) }
    return number
  }

  /// Reads the next field as a signed 64-bit number. Salts may be negative.
  mutating func readSalt() throws(ProtocolError) -> Int64 {
    let field = try readField()
    if field.first == UInt8(ascii: "-") {
      guard let magnitude = DecimalText.number(field.dropFirst()), magnitude <= Int64.min.magnitude else {
        throw badField(field)
      }
      return Int64(truncatingIfNeeded: 0 &- magnitude)
    }
    guard let number = DecimalText.version(field) else { throw badField(field) }
    return Int64(number)
  }

  /// Reads the next field as a session ident. 0 is rejected.
  mutating func readSession() throws(ProtocolError) -> SessionIdent {
    let session = try readNumber()
    guard session != 0 else { throw ProtocolError(.badSessionIdent, "bad \(type) message: session 0") }
    return session
  }

  mutating func readFlag() throws(ProtocolError) -> Bool {
    switch try readNumber() {
    case 0: false
    case 1: true
    case let number: throw ProtocolError(.badSyntax, "bad \(type) message: \(number) is neither 0 nor 1")
    }
  }

  /// Reads the next field as a byte count within the limit of bodies.
  mutating func readSize() throws(ProtocolError) -> Int {
    let size = try readNumber()
    guard size <= UInt64(limits.bodyByteCount) else {
      // 104 would be the proper code, but it aborts Realm's client (protocol §3.4).
      throw ProtocolError(
        .badSyntax,
        "\(type) message of \(size) bytes is larger than the limit of \(limits.bodyByteCount)"
      )
    }
    return Int(size)
  }

  /// Reads the next field as the byte count of a part of the body that has a limit of its own.
  mutating func readSize(atMost limit: Int) throws(ProtocolError) -> Int {
    let size = try readSize()
    guard size <= limit else {
      throw ProtocolError(
        .badSyntax,
        "bad \(type) message: a part has \(size) bytes; at most \(limit) are allowed"
      )
    }
    return size
  }

  mutating func readErrorCode() throws(ProtocolError) -> ErrorCode {
    let number = try readNumber()
    guard let code = Int32(exactly: number) else {
      throw ProtocolError(.badSyntax, "bad \(type) message: error code \(number)")
    }
    return ErrorCode(rawValue: Int(code))
  }

  /// Reads the next field as a floating-point number from 0 to 1.
  mutating func readFraction() throws(ProtocolError) -> Double {
    let field = try readField()
    let isDecimal = field.allSatisfy { DecimalText.fractionCharacters.contains($0) }
    guard isDecimal, let number = Double(String(decoding: field, as: UTF8.self)), (0...1).contains(number)
    else {
      throw badField(field)
    }
    return number
  }

  mutating func readFileIdent() throws(ProtocolError) -> SaltedFileIdent {
    SaltedFileIdent(ident: try readVersion(), salt: try readSalt())
  }

  mutating func readDownloadCursor() throws(ProtocolError) -> DownloadCursor {
    DownloadCursor(serverVersion: try readVersion(), clientVersion: try readVersion())
  }

  mutating func readUploadCursor() throws(ProtocolError) -> UploadCursor {
    UploadCursor(clientVersion: try readVersion(), serverVersion: try readVersion())
  }

  mutating func readLatestServerVersion() throws(ProtocolError) -> LatestServerVersion {
    LatestServerVersion(serverVersion: try readVersion(), salt: try readSalt())
  }

  /// Checks that the head has no more fields.
  mutating func finishHead() throws(ProtocolError) {
    guard position == headEnd else { throw ProtocolError(.badSyntax, "bad \(type) message: too many fields") }
    position += 1
  }

  private mutating func readField() throws(ProtocolError) -> ArraySlice<UInt8> {
    guard position < headEnd else { throw ProtocolError(.badSyntax, "bad \(type) message: too few fields") }
    let start = position + 1
    let end = bytes[start..<headEnd].firstIndex(of: Self.space) ?? headEnd
    position = end
    return bytes[start..<end]
  }

  private func badField(_ field: ArraySlice<UInt8>) -> ProtocolError {
    ProtocolError(
      .badSyntax,
      "bad \(type) message: '\(String(decoding: field, as: UTF8.self))' is not a valid field"
    )
  }
}

// MARK: Body

extension MessageReader {
  /// Reads the next `count` bytes of the body.
  mutating func readBytes(_ count: Int) throws(ProtocolError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else {
      throw ProtocolError(
        .badSyntax,
        "bad \(type) message: \(bytes.count - position) bytes where \(count) were announced"
      )
    }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Reads the next `count` bytes of the body as text. Invalid UTF-8 is rejected.
  mutating func readText(_ count: Int) throws(ProtocolError) -> String {
    guard let text = String(validating: try readBytes(count), as: UTF8.self) else {
      throw ProtocolError(.badSyntax, "bad \(type) message: the text is not UTF-8")
    }
    return text
  }

  /// Checks that the body has no more bytes.
  func finish() throws(ProtocolError) {
    guard position == bytes.count else {
      throw ProtocolError(.badSyntax, "bad \(type) message: \(bytes.count - position) bytes too many")
    }
  }

  /// Checks that the message ends with its head, and that the head has no more fields.
  mutating func finishMessage() throws(ProtocolError) {
    try finishHead()
    try finish()
  }

  /// Reads a message that consists of one number.
  mutating func readOnlyField(
    _ read: (inout MessageReader) throws(ProtocolError) -> UInt64
  ) throws(ProtocolError) -> UInt64 {
    let number = try read(&self)
    try finishMessage()
    return number
  }

  /// Reads a MARK, which has the same form in both directions.
  mutating func readMark<Message>(
    _ make: (SessionIdent, MarkIdent) -> Message
  ) throws(ProtocolError) -> Message {
    let message = make(try readSession(), try readVersion())
    try finishMessage()
    return message
  }

  /// Reads a TEST_COMMAND, which has the same form in both directions.
  mutating func readTestCommand<Message>(
    _ make: (SessionIdent, UInt64, String) -> Message
  ) throws(ProtocolError) -> Message {
    let session = try readSession()
    let request = try readVersion()
    return make(session, request, try readTextBody(try readSize()))
  }

  /// Reads a body of `size` bytes after a head that ends here, and checks that nothing follows it.
  mutating func readBody(_ size: Int) throws(ProtocolError) -> ArraySlice<UInt8> {
    try finishHead()
    let body = try readBytes(size)
    try finish()
    return body
  }

  /// Reads a body of `size` bytes as `readBody` does, as text. Invalid UTF-8 is rejected.
  mutating func readTextBody(_ size: Int) throws(ProtocolError) -> String {
    try finishHead()
    let text = try readText(size)
    try finish()
    return text
  }

  /// Reads the three fields of a head that describe the compression of the body (protocol §2.2).
  mutating func readCompressionFields() throws(ProtocolError) -> CompressionFields {
    CompressionFields(isCompressed: try readFlag(), size: try readSize(), compressedSize: try readSize())
  }

  /// Reads and inflates the body after a head that ends here, and checks that nothing follows it.
  mutating func readBody(_ fields: CompressionFields) throws(ProtocolError) -> [UInt8] {
    let body = try readBody(fields.isCompressed ? fields.compressedSize : fields.size)
    return fields.isCompressed ? try Zlib.inflate(body, size: fields.size) : Array(body)
  }
}

/// The encoding of the body of an UPLOAD or DOWNLOAD.
struct CompressionFields {
  let isCompressed: Bool
  /// The size in bytes after inflation.
  let size: Int
  /// The size in bytes before inflation; meaningless if the body is not compressed.
  let compressedSize: Int
}

/// Parses the decimal numbers of heads, which have digits only and no sign.
enum DecimalText {
  static let fractionCharacters = Set("0123456789.eE-+".utf8)

  static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
      guard !overflowed, !carried else { return nil }
      number = sum
    }
    return number
  }

  /// Parses a number up to `Int64.max`.
  static func version(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard let number = number(digits), number <= UInt64(Int64.max) else { return nil }
    return number
  }
}
