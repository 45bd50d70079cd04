// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The encoding of mixed values in a column, in an element of a list or set, and in a dictionary (Docs/Storage.md).
///
/// Values that have a type in SQLite use it: int is INTEGER, double REAL, string TEXT, null NULL. Everything else is
/// a BLOB of a tag and the content. The elements of a nested collection are each preceded by their size and encoded
/// like a BLOB of their own, including those that have a type in SQLite. For the tags from `decimal` to `uuid`,
/// content bytes with the same tag sort like the values.
package enum MixedCoding {
  /// The first byte of a BLOB.
  enum Tag: UInt8 {
    case bool = 0x01
    /// The bits, most significant byte first.
    case float = 0x02
    /// The bits, most significant byte first. Outside of collections, only for not-a-number.
    case double = 0x03
    /// A complete `DecimalKey`.
    case decimal = 0x04
    case binary = 0x05
    /// Seconds in 8 bytes and nanoseconds in 4, both with the sign bit inverted.
    case timestamp = 0x06
    case objectId = 0x07
    case uuid = 0x08
    /// The size of the class name in 4 bytes, the class name, and the primary key as encoded by `KeyCoding`.
    case link = 0x09
    /// The elements, each preceded by its size in 4 bytes.
    case list = 0x0A
    /// Keys and values alternating, each preceded by its size in 4 bytes, sorted by key.
    case dictionary = 0x0B
    /// Only in collections: 8 bytes.
    case int = 0x0C
    /// Only in collections.
    case string = 0x0D
  }

  /// The maximum nesting depth of collections, including the property's own. The reference has the same limit.
  package static let greatestDepth = 100

  /// Returns the condition that selects the links among a column's values. Its index uses the same condition.
  static func isLink(_ column: String) -> String { "substr(\(column), 1, 1) = x'09'" }

  // MARK: Writing

  /// Returns the BLOB of a value that has no type in SQLite.
  static func blob(of value: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return bytes
  }

  private static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .null: break
    case .int(let value): append(.int, UInt64(bitPattern: value), to: &bytes)
    case .bool(let value): append(.bool, value ? 1 as UInt8 : 0, to: &bytes)
    case .string(let value): append(.string, value.utf8, to: &bytes)
    case .malformedString(let content): append(.string, content, to: &bytes)
    case .binary(let content): append(.binary, content, to: &bytes)
    case .timestamp(let value):
      append(.timestamp, UInt64(bitPattern: value.seconds) ^ 1 << 63, to: &bytes)
      append(UInt32(bitPattern: value.nanoseconds) ^ 1 << 31, to: &bytes)
    case .float(let value): append(.float, value.stored.bitPattern, to: &bytes)
    case .double(let value): append(.double, value.stored.bitPattern, to: &bytes)
    case .decimal(let value):
      bytes.append(Tag.decimal.rawValue)
      DecimalKey.append(value, to: &bytes)
    case .link(let link):
      append(.link, UInt32(truncatingIfNeeded: link.className.utf8.count), to: &bytes)
      bytes.append(contentsOf: link.className.utf8)
      bytes.append(contentsOf: KeyCoding.encode(link.key))
    case .objectId(let value): append(.objectId, value.bytes, to: &bytes)
    case .uuid(let value): append(.uuid, value.bytes, to: &bytes)
    case .list(let elements):
      bytes.append(Tag.list.rawValue)
      for element in elements { appendElement(element, to: &bytes) }
    case .dictionary(let entries):
      bytes.append(Tag.dictionary.rawValue)
      for entry in entries {
        append(UInt32(truncatingIfNeeded: entry.key.utf8.count), to: &bytes)
        bytes.append(contentsOf: entry.key.utf8)
        appendElement(entry.value, to: &bytes)
      }
    }
  }

  /// Appends an element after its size, which is not known until the element has been written.
  private static func appendElement(_ value: Value, to bytes: inout [UInt8]) {
    let start = bytes.count
    append(0 as UInt32, to: &bytes)
    append(value, to: &bytes)
    let size = UInt32(truncatingIfNeeded: bytes.count - start - MemoryLayout<UInt32>.size)
    withUnsafeBytes(of: size.bigEndian) {
      bytes.replaceSubrange(start..<start + MemoryLayout<UInt32>.size, with: $0)
    }
  }

  private static func append(_ tag: Tag, _ content: some Collection<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(tag.rawValue)
    bytes.append(contentsOf: content)
  }

  private static func append(_ tag: Tag, _ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    bytes.append(tag.rawValue)
    append(number, to: &bytes)
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

extension Binder {
  /// Binds a value of type mixed.
  func bindMixed(_ value: Value, at parameter: Int32) {
    switch value {
    case .null: bindNull(at: parameter)
    case .int(let value): bind(value, at: parameter)
    case .double(let value) where !value.isNaN: bind(value.stored, at: parameter)
    case .string(let value): bind(value, at: parameter)
    case .malformedString(let bytes): bytes.withUnsafeBytes { bindText($0, at: parameter) }
    default: MixedCoding.blob(of: value).withUnsafeBytes { bindBlob($0, at: parameter) }
    }
  }
}

extension Statement {
  /// Returns a mixed value from a column, or null for bytes that do not encode a value.
  func mixed(_ column: Int32) -> Value {
    switch storageClass(column) {
    case .null: .null
    case .integer: .int(int(column))
    case .real: .double(double(column))
    case .text: string(column)
    case .blob: MixedCoding.value(of: blobBytes(column)) ?? .null
    }
  }
}
