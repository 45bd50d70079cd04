// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncModel
import FlexSyncQuery

/// The encoding of one property's values in a column (Docs/Storage.md): integers and booleans as INTEGER, strings as
/// TEXT, binary data and identifiers as BLOB, numbers as REAL with not-a-number as the BLOB of its bits, timestamps
/// as two INTEGER columns, links as the primary key of their target, decimals as the BLOB of their `DecimalKey`, and
/// mixed values as described in `MixedCoding`.
package struct ValueStorage: Hashable {
  package let type: ValueType
  let isNullable: Bool
  /// For links, the type of the target's primary key; otherwise equal to `type`.
  let encodedType: ValueType

  /// A mixed can always be null.
  init(type: ValueType, isNullable: Bool, encodedType: ValueType) {
    self.type = type
    self.isNullable = isNullable || type == .mixed
    self.encodedType = encodedType
  }

  /// The number of SQL columns, and of parameters, that one value takes.
  var width: Int32 { type == .timestamp ? 2 : 1 }

  /// The declared type of the SQL column.
  var columnType: String {
    switch encodedType {
    case .int, .bool, .timestamp: "INTEGER"
    case .string: "TEXT"
    case .float, .double: "REAL"
    default: "BLOB"
    }
  }

  /// The kind of cell that holds a value of the type; nil for links and mixed values.
  var plainKind: Cell.Kind? {
    switch type {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .objectId: .objectId
    case .uuid: .uuid
    case .decimal: .decimal
    case .link, .mixed: nil
    }
  }

  /// The initial value in a new object.
  var zero: Value { isNullable ? .null : type.zero }

  /// The initial value as SQL, for rows that are older than the column.
  var zeroLiteral: String {
    guard !isNullable else { return "NULL" }
    switch type {
    case .int, .bool, .timestamp: return "0"
    case .string: return "''"
    case .binary: return "x''"
    case .float, .double: return "0.0"
    case .objectId: return "x'\(String(repeating: "00", count: ObjectId.byteCount))'"
    case .uuid: return "x'\(String(repeating: "00", count: UUIDValue.byteCount))'"
    case .decimal: return "x'\(Hex.encode(DecimalKey.bytes(of: .zero)))'"
    case .link, .mixed: return "NULL"
    }
  }
}

extension Column {
  /// Returns the reason the column cannot hold a value because of its type, nullability or link target, or nil if it
  /// can.
  func refusal(of value: Value) -> ObjectError.Reason? {
    guard let valueType = value.type else { return storage.isNullable ? nil : .notNullable }
    if storage.type == .mixed { return nil }
    if isEmbedded {
      return .wrongPath("'\(schema.name)' holds embedded objects, which must be created in place")
    }
    guard valueType == storage.type else { return .wrongType(expected: storage.type, found: valueType) }
    guard case .link(let link) = value else { return nil }
    guard link.className == schema.linkTarget else {
      return .wrongLinkTarget(expected: schema.linkTarget ?? "", found: link.className)
    }
    guard link.key.type == storage.encodedType || link.key == .null else {
      return .wrongKeyType(expected: storage.encodedType)
    }
    return nil
  }
}

extension PrimaryKey {
  /// The type of the key; nil for null and for global keys.
  var type: ValueType? {
    switch self {
    case .null, .globalKey: nil
    case .int: .int
    case .string: .string
    case .objectId: .objectId
    case .uuid: .uuid
    }
  }
}

extension BinaryFloatingPoint {
  /// The form in which a float or double is stored and looked up: all that are not a number are one value, and zero has
  /// no sign. SQLite knows neither the former nor the latter.
  @inline(__always)
  var stored: Self { isNaN ? .nan : self + 0 }
}

extension Binder {
  /// Binds a value that fits the storage, to one parameter or two.
  @inline(__always)
  func bind(_ value: Value, _ storage: ValueStorage, at parameter: Int32) {
    if storage.type == .mixed { return bindMixed(value, at: parameter) }
    if case .link(let link) = value { return bindLink(link.key, at: parameter) }
    value.withCell { cell in
      if let cell { bind(cell, storage, at: parameter) } else { bindMixed(value, at: parameter) }
    }
  }

  /// Binds a plain value that fits the storage, to one parameter or two.
  @inline(__always)
  func bind(_ cell: Cell, _ storage: ValueStorage, at parameter: Int32) {
    switch cell.kind {
    case .null:
      bindNull(at: parameter)
      if storage.width == 2 { bindNull(at: parameter + 1) }
    case .int, .bool: bind(Int64(bitPattern: cell.first), at: parameter)
    case .string: bindText(cell.bytes, at: parameter)
    case .binary: bindBlob(cell.bytes, at: parameter)
    case .timestamp:
      bind(Int64(bitPattern: cell.first), at: parameter)
      bind(Int64(bitPattern: cell.second), at: parameter + 1)
    case .float:
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: cell.first)).stored
      if value.isNaN { bindBits(value.bitPattern, at: parameter) } else { bind(Double(value), at: parameter) }
    case .double:
      let value = Double(bitPattern: cell.first).stored
      if value.isNaN { bindBits(value.bitPattern, at: parameter) } else { bind(value, at: parameter) }
    case .objectId:
      bind(ObjectId(high: cell.first, low: UInt32(truncatingIfNeeded: cell.second)), at: parameter)
    case .uuid: bind(UUIDValue(high: cell.first, low: cell.second), at: parameter)
    case .decimal:
      DecimalKey.bytes(of: Decimal128(high: cell.first, low: cell.second)).withUnsafeBytes {
        bindBlob($0, at: parameter)
      }
    case .list, .dictionary, .mixedLink: bindNull(at: parameter)
    }
  }

  /// Binds a primary key for comparison with the key column.
  @inline(__always)
  func bind(_ key: PrimaryKey, at parameter: Int32) {
    switch key {
    case .null, .globalKey: bindNull(at: parameter)
    case .int(let value): bind(value, at: parameter)
    case .string(let value): bind(value, at: parameter)
    case .objectId(let value): bind(value, at: parameter)
    case .uuid(let value): bind(value, at: parameter)
    }
  }

  /// Binds the key of a link's target. A link to the object whose key is null is bound as an empty blob, to
  /// distinguish it from no link.
  @inline(__always)
  func bindLink(_ key: PrimaryKey, at parameter: Int32) {
    if case .null = key {
      bindBlob(UnsafeRawBufferPointer(start: nil, count: 0), at: parameter)
    } else {
      bind(key, at: parameter)
    }
  }

  @inline(__always)
  func bind(_ identifier: ObjectId, at parameter: Int32) {
    var bytes = (identifier.high.bigEndian, identifier.low.bigEndian)
    withUnsafeBytes(of: &bytes) {
      bindBlob(UnsafeRawBufferPointer(rebasing: $0[0..<ObjectId.byteCount]), at: parameter)
    }
  }

  @inline(__always)
  func bind(_ identifier: UUIDValue, at parameter: Int32) {
    var bytes = (identifier.high.bigEndian, identifier.low.bigEndian)
    withUnsafeBytes(of: &bytes) { bindBlob($0, at: parameter) }
  }

  private func bindBits(_ bits: some FixedWidthInteger, at parameter: Int32) {
    withUnsafeBytes(of: bits.bigEndian) { bindBlob($0, at: parameter) }
  }
}

extension Statement {
  /// Binds a value that fits the storage, to one parameter or two.
  @inline(__always)
  func bind(_ value: Value, _ storage: ValueStorage, at parameter: Int32) {
    binder.bind(value, storage, at: parameter)
  }

  /// Binds the parameters of a query, starting with the first.
  package func bind(_ values: [Value]) {
    for (index, value) in values.enumerated() { bind(value, at: Int32(clamping: index + 1)) }
  }

  /// Binds a value in the form in which a column of its type holds it.
  package func bind(_ value: Value, at parameter: Int32) {
    let type = value.type ?? .int
    bind(value, ValueStorage(type: type, isNullable: true, encodedType: type), at: parameter)
  }

  /// Binds a primary key for comparison with the key column.
  @inline(__always)
  package func bind(_ key: PrimaryKey, at parameter: Int32) { binder.bind(key, at: parameter) }

  /// Binds the key of a link's target.
  @inline(__always)
  package func bindLink(_ key: PrimaryKey, at parameter: Int32) { binder.bindLink(key, at: parameter) }

  @inline(__always)
  package func bind(_ identifier: ObjectId, at parameter: Int32) { binder.bind(identifier, at: parameter) }

  @inline(__always)
  package func bind(_ identifier: UUIDValue, at parameter: Int32) { binder.bind(identifier, at: parameter) }

  /// Returns a value read from one column or two.
  @inline(__always)
  func value(_ column: Int32, _ property: Column) -> Value {
    guard !isNull(column) else { return .null }
    switch property.storage.type {
    case .int: return .int(int(column))
    case .bool: return .bool(int(column) != 0)
    case .string: return string(column)
    case .binary: return .binary(blob(column))
    case .timestamp: return .timestamp(timestamp(column))
    case .float: return .float(float(column))
    case .double: return .double(number(column))
    case .objectId: return .objectId(objectId(column))
    case .uuid: return .uuid(uuid(column))
    case .link:
      return .link(
        Link(className: property.schema.linkTarget ?? "", key: linkKey(column, property.storage.encodedType))
      )
    case .decimal: return .decimal(decimal(column))
    case .mixed: return mixed(column)
    }
  }

  @inline(__always)
  func decimal(_ column: Int32) -> Decimal128 { DecimalKey.decimal(blobBytes(column)) ?? .zero }

  /// Returns a text, preserving it even if it is not valid UTF-8.
  @inline(__always)
  func string(_ column: Int32) -> Value {
    let bytes = textBytes(column)
    guard let text = String(validating: bytes, as: UTF8.self) else { return .malformedString([UInt8](bytes)) }
    return .string(text)
  }

  @inline(__always)
  package func timestamp(_ column: Int32) -> Timestamp {
    Timestamp(seconds: int(column), nanoseconds: Int32(truncatingIfNeeded: int(column + 1))) ?? .epoch
  }

  @inline(__always)
  package func objectId(_ column: Int32) -> ObjectId {
    let (high, low) = identifier(column, UInt32.self)
    return ObjectId(high: high, low: low)
  }

  @inline(__always)
  func uuid(_ column: Int32) -> UUIDValue {
    let (high, low) = identifier(column, UInt64.self)
    return UUIDValue(high: high, low: low)
  }

  /// Returns the bytes of an identifier as two numbers; zeros if there are more or fewer, in a damaged file.
  @inline(__always)
  private func identifier<Low: FixedWidthInteger>(_ column: Int32, _: Low.Type) -> (high: UInt64, low: Low) {
    let bytes = blobBytes(column)
    guard bytes.count == MemoryLayout<UInt64>.size + MemoryLayout<Low>.size else { return (0, 0) }
    let low = bytes.loadUnaligned(fromByteOffset: MemoryLayout<UInt64>.size, as: Low.self)
    return (UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)), Low(bigEndian: low))
  }

  @inline(__always)
  func number(_ column: Int32) -> Double {
    guard isBlob(column) else { return double(column) }
    let bytes = blobBytes(column)
    guard bytes.count == 8 else { return .nan }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  @inline(__always)
  func float(_ column: Int32) -> Float {
    guard isBlob(column) else { return Float(double(column)) }
    let bytes = blobBytes(column)
    guard bytes.count == 4 else { return .nan }
    return Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
  }

  /// Returns the primary key in a key column.
  package func key(_ column: Int32, _ type: ValueType) -> PrimaryKey {
    guard !isNull(column) else { return .null }
    switch type {
    case .int: return .int(int(column))
    case .string: return .string(text(column))
    case .objectId: return .objectId(objectId(column))
    default: return .uuid(uuid(column))
    }
  }

  /// Returns the target's key in a link column, which must not be null.
  func linkKey(_ column: Int32, _ type: ValueType) -> PrimaryKey {
    if isBlob(column), blobBytes(column).count == 0 { return .null }
    return key(column, type)
  }
}
