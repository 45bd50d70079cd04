// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Encodes values of any type as bytes that sort in the order of SORT and are equal for values that DISTINCT
/// considers equal (QueryLanguage §7): null, bool, numbers with not-a-number first, strings and binaries, timestamps,
/// object ids, UUIDs, links, collections.
public enum SortKeyCoding {
  /// The key for the end of a path with a null link: greater than all others.
  public static let unreached: [UInt8] = [0xFF]

  /// Returns the key of the value at the end of a path for one object.
  public static func key<Row: PredicateRow>(of path: PropertyPath, in row: Row) -> [UInt8] {
    switch path.sortValue(of: row) {
    case .value(let value): key(of: value)
    case .unreachable: unreached
    }
  }

  /// Returns the key of a value.
  public static func key(of value: Value) -> [UInt8] {
    var key: [UInt8] = []
    append(value, to: &key)
    return key
  }

  private static func append(_ value: Value, to key: inout [UInt8]) {
    switch value {
    case .null: key.append(0)
    case .bool(let bool): key += [1, bool ? 1 : 0]
    case .int(let int): append(Decimal128(int), to: &key)
    case .float(let float): append(Decimal128(Double(float)), to: &key)
    case .double(let double): append(Decimal128(double), to: &key)
    case .decimal(let decimal): append(decimal, to: &key)
    case .string(let string): appendText(string.utf8, isString: true, to: &key)
    case .malformedString(let bytes): appendText(bytes, isString: true, to: &key)
    case .binary(let bytes): appendText(bytes, isString: false, to: &key)
    case .timestamp(let time): append(4, ordered(time.seconds) + ordered(time.nanoseconds), to: &key)
    case .objectId(let objectId): append(5, objectId.bytes, to: &key)
    case .uuid(let uuid): append(6, uuid.bytes, to: &key)
    case .link(let link):
      append(7, link.className.utf8, to: &key)
      append(0, self.key(of: link.key.value ?? .null), to: &key)
    case .list(let elements):
      key.append(8)
      for element in elements { appendPart(self.key(of: element), to: &key) }
    case .dictionary(let entries):
      key.append(9)
      for entry in entries {
        appendPart(entry.key.utf8, to: &key)
        appendPart(self.key(of: entry.value), to: &key)
      }
    }
  }

  /// If the bytes are equal, a string sorts before a binary value.
  private static func appendText(_ bytes: some Sequence<UInt8>, isString: Bool, to key: inout [UInt8]) {
    key.append(3)
    appendPart(bytes, to: &key)
    key.append(isString ? 0 : 1)
  }

  /// Appends a part of a collection in which nothing can be mistaken for its end, which is two zeros.
  private static func appendPart(_ bytes: some Sequence<UInt8>, to key: inout [UInt8]) {
    for byte in bytes {
      key.append(byte)
      if byte == 0 { key.append(0xFF) }
    }
    key += [0, 0]
  }

  private static func append(_ tag: UInt8, _ bytes: some Sequence<UInt8>, to key: inout [UInt8]) {
    key.append(tag)
    key.append(contentsOf: bytes)
  }

  private static func append(_ decimal: Decimal128, to key: inout [UInt8]) {
    append(2, DecimalKey.prefix(of: decimal), to: &key)
  }

  /// Returns the bytes with the most significant one first. Negative numbers sort below the others.
  private static func ordered<Number: FixedWidthInteger & SignedInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: (number ^ Number.min).bigEndian) { Array($0) }
  }
}
