// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A value of the row on which a scan stands, without references: reading many rows allocates nothing.
public struct Cell: BitwiseCopyable {
  /// What a cell holds.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case null
    /// In `first`, as a signed number.
    case int
    /// In `first`: 0 or 1.
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
    /// High and low part.
    case objectId
    /// High and low part.
    case uuid
  }

  public let first: UInt64
  public let second: UInt64
  public let kind: Kind
  /// Whether the value is the primary key of the object that a link leads to. No link is null without being one.
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

  /// Text or bytes, valid until the scan moves.
  @inlinable
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(first)), count: Int(second))
  }
}

/// How a scan reads one column into a cell.
struct CellReader {
  /// The position in the result.
  let position: Int32
  /// The type of the value; for a link that of its target's key.
  let type: ValueType
  let isLink: Bool
  /// Whether there may be nulls.
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
    case .mixed, .decimal, .link: return Cell(.null)
    }
  }
}
