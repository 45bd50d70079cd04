// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

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
    var cell = isNullKey ? Cell(.null) : plainCell(reader)
    cell.isLink = true
    return cell
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
    default: self = MixedCoding.value(of: blob)?.cellWithoutBytes ?? Cell(.null)
    }
  }
}

/// Reads the link in a cell of kind `mixedLink`.
public enum MixedLink {
  /// Returns the class and key of the target, or nil if the file is damaged.
  public static func link(of bytes: UnsafeRawBufferPointer) -> Link? { MixedCoding.link(bytes) }
}
