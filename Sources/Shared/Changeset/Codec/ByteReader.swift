// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the primitive fields of a changeset (protocol §6.1). Every read is checked against the end of the bytes.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }
  var remainingCount: Int { bytes.count - position }

  @inline(__always)
  mutating func readByte() throws(ChangesetError) -> UInt8 {
    guard position < bytes.count else { throw endOfBytes() }
    let byte = bytes[position]
    position += 1
    return byte
  }

  mutating func readFlag() throws(ChangesetError) -> Bool {
    let byte = try readByte()
    guard byte <= 1 else { throw errorAtLastByte("flag \(byte), expected 0 or 1") }
    return byte == 1
  }

  /// Reads a signed integer of at most ten bytes.
  @inline(__always)
  mutating func readInteger() throws(ChangesetError) -> Int64 {
    let byte = try readByte()
    let bits = Int64(byte & 0x3f)
    if byte < 0x80 { return byte & 0x40 == 0 ? bits : ~bits }
    return try readLongInteger(firstByte: byte)
  }

  private mutating func readLongInteger(firstByte: UInt8) throws(ChangesetError) -> Int64 {
    let (magnitude, isNegative) = try readMagnitude(firstByte: firstByte, maximumByteCount: 10)
    guard magnitude >> 63 == 0 else { throw errorAtLastByte("integer beyond 64 bits") }
    return isNegative ? ~Int64(magnitude) : Int64(magnitude)
  }

  /// Reads an unsigned 64-bit integer.
  mutating func readUnsigned64() throws(ChangesetError) -> UInt64 {
    let (magnitude, isNegative) = try readMagnitude(firstByte: readByte(), maximumByteCount: 10)
    guard !isNegative else { throw errorAtLastByte("negative number in an unsigned field") }
    return magnitude
  }

  /// Reads an unsigned 32-bit integer of at most five bytes: an index, a count or a size.
  @inline(__always)
  mutating func readUnsigned32() throws(ChangesetError) -> UInt32 {
    let byte = try readByte()
    if byte < 0x40 { return UInt32(byte) }
    let (magnitude, isNegative) = try readMagnitude(firstByte: byte, maximumByteCount: 5)
    guard !isNegative, let value = UInt32(exactly: magnitude) else {
      throw errorAtLastByte("number does not fit in 32 unsigned bits")
    }
    return value
  }

  /// Reads the seven-bit groups of an integer. The last group has six bits and the sign. For a negative number the
  /// result is the complement.
  private mutating func readMagnitude(
    firstByte: UInt8,
    maximumByteCount: Int
  ) throws(ChangesetError) -> (magnitude: UInt64, isNegative: Bool) {
    var byte = firstByte
    var magnitude: UInt64 = 0
    var shift: UInt64 = 0
    var byteCount = 1
    while byte >= 0x80 {
      guard byteCount < maximumByteCount else {
        throw errorAtLastByte("integer of more than \(byteCount) bytes")
      }
      magnitude |= UInt64(byte & 0x7f) << shift
      shift += 7
      byteCount += 1
      byte = try readByte()
    }
    let bits = UInt64(byte & 0x3f)
    guard shift < 63 || bits <= 1 else { throw errorAtLastByte("integer beyond 64 bits") }
    return (magnitude | bits << shift, byte & 0x40 != 0)
  }

  /// Reads the unsigned seven-bit groups of a decimal's coefficient, at most 113 bits in total.
  mutating func readCoefficient() throws(ChangesetError) -> (high: UInt64, low: UInt64) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 112, by: 7) {
      let byte = try readByte()
      let bits = UInt64(byte & 0x7f)
      if shift < 64 { low |= bits << shift }
      if shift > 57 { high |= shift < 64 ? bits >> (64 - shift) : bits << (shift - 64) }
      if byte < 0x80 {
        guard high >> UInt64(WireLimits.coefficientHighBitCount) == 0 else { break }
        return (high, low)
      }
    }
    throw errorAtLastByte("decimal coefficient beyond 113 bits")
  }

  /// Returns the next `count` bytes without copying them.
  @inline(__always)
  mutating func readBytes(_ count: Int) throws(ChangesetError) -> UnsafeRawBufferPointer {
    guard count <= bytes.count - position else {
      throw error("\(count) bytes expected, but only \(remainingCount) are left")
    }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  /// Returns to a position that has been read before.
  mutating func goBack(to earlier: Int) { position = min(position, earlier) }

  /// Skips the bytes of a range that has been read before if they follow again.
  @inline(__always)
  mutating func skipRepetition(of range: Range<Int>) -> Bool {
    guard !range.isEmpty, range.count <= remainingCount, let base = bytes.baseAddress,
      memcmp(base + range.lowerBound, base + position, range.count) == 0
    else { return false }
    position += range.count
    return true
  }

  /// Reads a byte count and then that many bytes.
  @inline(__always)
  mutating func readCountedBytes() throws(ChangesetError) -> UnsafeRawBufferPointer {
    let count = try readInteger()
    guard count >= 0 else { throw errorAtLastByte("negative length") }
    guard count <= WireLimits.valueByteCount else {
      throw errorAtLastByte("length \(count) exceeds the limit of \(WireLimits.valueByteCount) bytes")
    }
    return try readBytes(Int(count))
  }

  // Errors are built out of line to keep the error-free paths short.

  @inline(never)
  private func endOfBytes() -> ChangesetError { error("the bytes end inside an instruction") }

  /// Returns an error located at the next field.
  @inline(never)
  func error(_ message: String) -> ChangesetError { ChangesetError(message: message, position: position) }

  /// Returns an error located at the last byte read.
  @inline(never)
  func errorAtLastByte(_ message: String) -> ChangesetError {
    ChangesetError(message: message, position: position - 1)
  }
}
