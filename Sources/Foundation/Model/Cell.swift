// SPDX-License-Identifier: Apache-2.0

/// A value in a row, on its way between the database and a caller. It contains no references, so reading or writing
/// many rows allocates nothing; text and bytes are borrowed.
public struct Cell: BitwiseCopyable {
  /// The kind of a cell's contents.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case null
    /// A signed integer in `first`.
    case int
    /// 0 or 1 in `first`.
    case bool
    /// An address in `first` and a size in `second`.
    case string
    /// An address in `first` and a size in `second`.
    case binary
    /// Seconds in `first` and nanoseconds in `second`, both signed.
    case timestamp
    /// The bits of the number in `first`.
    case float
    /// The bits of the number in `first`.
    case double
    /// The high and low parts.
    case objectId
    /// The high and low parts.
    case uuid
    /// The high and low parts of the bits.
    case decimal
    /// A list in a mixed, without its elements.
    case list
    /// A dictionary in a mixed, without its entries.
    case dictionary
    /// A link in a mixed value: an address in `first` and a size in `second`. Read it with `MixedLink`.
    case mixedLink
  }

  public let first: UInt64
  public let second: UInt64
  public let kind: Kind
  /// Whether the value is the primary key of a link's target. It distinguishes a link to an object with a null key
  /// from a null link.
  public var isLink = false

  @inlinable @inline(__always)
  public init(_ kind: Kind, _ first: UInt64 = 0, _ second: UInt64 = 0) {
    self.first = first
    self.second = second
    self.kind = kind
  }

  /// Borrows text or bytes.
  @inlinable @inline(__always)
  public init(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) {
    self.init(kind, UInt64(UInt(bitPattern: bytes.baseAddress)), UInt64(bytes.count))
  }

  /// The borrowed text or bytes: of a cell that a scan reads, valid until the scan moves.
  @inlinable
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(first)), count: Int(second))
  }
}

extension Value {
  /// Calls `body` with the value as a cell, which borrows text and bytes. Nil for a link and for a collection, which
  /// are more than a cell can hold.
  @inline(__always)
  public func withCell<Result>(_ body: (Cell?) throws -> Result) rethrows -> Result {
    switch self {
    case .string(var text): return try text.withUTF8 { try body(Cell(.string, UnsafeRawBufferPointer($0))) }
    case .malformedString(let bytes): return try bytes.withUnsafeBytes { try body(Cell(.string, $0)) }
    case .binary(let bytes): return try bytes.withUnsafeBytes { try body(Cell(.binary, $0)) }
    default: return try body(cellWithoutBytes)
    }
  }

  /// The value as a cell, unless it has bytes to borrow or does not fit into one.
  public var cellWithoutBytes: Cell? {
    switch self {
    case .null: Cell(.null)
    case .int(let value): Cell(.int, UInt64(bitPattern: value))
    case .bool(let value): Cell(.bool, value ? 1 : 0)
    case .timestamp(let value):
      Cell(.timestamp, UInt64(bitPattern: value.seconds), UInt64(bitPattern: Int64(value.nanoseconds)))
    case .float(let value): Cell(.float, UInt64(value.bitPattern))
    case .double(let value): Cell(.double, value.bitPattern)
    case .decimal(let value): Cell(.decimal, value.high, value.low)
    case .objectId(let value): Cell(.objectId, value.high, UInt64(value.low))
    case .uuid(let value): Cell(.uuid, value.high, value.low)
    case .string, .malformedString, .binary, .link, .list, .dictionary: nil
    }
  }
}
