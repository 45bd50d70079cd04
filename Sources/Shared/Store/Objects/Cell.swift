// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A value in the current row of a scan. It contains no references, so reading many rows allocates nothing.
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
  public private(set) var isLink = false

  @inline(__always)
  init(_ kind: Kind, _ first: UInt64 = 0, _ second: UInt64 = 0) {
    self.first = first
    self.second = second
    self.kind = kind
  }

  @inline(__always)
  init(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) {
    self.init(kind, UInt64(UInt(bitPattern: bytes.baseAddress)), UInt64(bytes.count))
  }

  var asLink: Cell {
    var link = self
    link.isLink = true
    return link
  }

  /// The text or bytes, valid until the scan moves.
  @inlinable
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(first)), count: Int(second))
  }
}

/// Describes how a scan reads one column into a cell.
struct CellReader {
  /// The position in the result row.
  let position: Int32
  /// The type of the value; for a link the type of its target's key.
  let type: ValueType
  let isLink: Bool
  /// Whether the column may contain nulls.
  let isNullable: Bool

  init(_ column: Column, position: Int32) {
    self.position = position
    type = column.storage.encodedType
    isLink = column.storage.type == .link
    isNullable = column.storage.isNullable || isLink
  }
}

extension Statement {
  @inline(__always)
  func cell(_ reader: CellReader) -> Cell {
    let position = reader.position
    if reader.isNullable, isNull(position) { return Cell(.null) }
    guard reader.isLink else { return plainCell(reader) }
    let isNullKey = isBlob(position) && blobBytes(position).isEmpty
    return (isNullKey ? Cell(.null) : plainCell(reader)).asLink
  }

  @inline(__always)
  private func plainCell(_ reader: CellReader) -> Cell {
    let position = reader.position
    switch reader.type {
    case .int: return Cell(.int, unsigned(position))
    case .bool: return Cell(.bool, int(position) == 0 ? 0 : 1)
    case .string: return Cell(.string, UnsafeRawBufferPointer(textBytes(position)))
    case .binary: return Cell(.binary, blobBytes(position))
    case .timestamp:
      let time = timestamp(position)
      return Cell(.timestamp, UInt64(bitPattern: time.seconds), UInt64(bitPattern: Int64(time.nanoseconds)))
    case .float: return Cell(.float, UInt64(float(position).bitPattern))
    case .double: return Cell(.double, number(position).bitPattern)
    case .objectId:
      let identifier = objectId(position)
      return Cell(.objectId, identifier.high, UInt64(identifier.low))
    case .uuid:
      let identifier = uuid(position)
      return Cell(.uuid, identifier.high, identifier.low)
    case .decimal:
      let decimal = decimal(position)
      return Cell(.decimal, decimal.high, decimal.low)
    case .mixed: return mixedCell(position)
    case .link: return Cell(.null)
    }
  }

  private func mixedCell(_ position: Int32) -> Cell {
    switch storageClass(position) {
    case .null: return Cell(.null)
    case .integer: return Cell(.int, unsigned(position))
    case .real: return Cell(.double, double(position).bitPattern)
    case .text: return Cell(.string, UnsafeRawBufferPointer(textBytes(position)))
    case .blob: return Cell(mixed: blobBytes(position))
    }
  }
}

extension Cell {
  /// Creates a cell for a mixed value in a BLOB.
  fileprivate init(mixed blob: UnsafeRawBufferPointer) {
    guard let tag = blob.first.flatMap(MixedCoding.Tag.init(rawValue:)) else {
      self.init(.null)
      return
    }
    let content = UnsafeRawBufferPointer(rebasing: blob.dropFirst())
    switch tag {
    case .list: self.init(.list)
    case .dictionary: self.init(.dictionary)
    case .link: self.init(.mixedLink, content)
    case .binary: self.init(.binary, content)
    case .string: self.init(.string, content)
    default: self.init(plain: MixedCoding.value(of: blob))
    }
  }

  /// Creates a cell for a value other than text or bytes.
  private init(plain value: Value?) {
    switch value {
    case .int(let value): self.init(.int, UInt64(bitPattern: value))
    case .bool(let value): self.init(.bool, value ? 1 : 0)
    case .timestamp(let value):
      self.init(
        .timestamp,
        UInt64(bitPattern: value.seconds),
        UInt64(bitPattern: Int64(value.nanoseconds))
      )
    case .float(let value): self.init(.float, UInt64(value.bitPattern))
    case .double(let value): self.init(.double, value.bitPattern)
    case .decimal(let value): self.init(.decimal, value.high, value.low)
    case .objectId(let value): self.init(.objectId, value.high, UInt64(value.low))
    case .uuid(let value): self.init(.uuid, value.high, value.low)
    case .null, .string, .malformedString, .binary, .link, .list, .dictionary, nil: self.init(.null)
    }
  }
}

/// Reads the link in a cell of kind `mixedLink`.
public enum MixedLink {
  /// Returns the class and key of the target, or nil if the file is damaged.
  public static func link(of bytes: UnsafeRawBufferPointer) -> Link? { MixedCoding.link(bytes) }
}
