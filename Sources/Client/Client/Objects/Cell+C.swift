// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncStore

extension Cell {
  /// Borrows a value that a program passes for a property of a plain type. Nil if it does not obviously fit; then
  /// `Realm.model` decides, which also words the error.
  @inline(__always)
  init?(_ value: flx_value_t, fitting traits: PropertyTraits) {
    guard traits.takesCells else { return nil }
    if value.type == .FLX_TYPE_NULL {
      guard traits.isNullable else { return nil }
      self.init(.null)
      return
    }
    self.init(value, ofType: traits.type)
  }

  /// Borrows a value of a type that a cell holds. Nil if it has another type or is not valid.
  @inline(__always)
  init?(_ value: flx_value_t, ofType type: ValueType) {
    guard value.type.rawValue == Int32(type.rawValue) else { return nil }
    switch value.type {
    case .FLX_TYPE_INT: self.init(.int, UInt64(bitPattern: value.integer))
    case .FLX_TYPE_BOOL: self.init(.bool, value.boolean ? 1 : 0)
    case .FLX_TYPE_STRING:
      guard let bytes = value.string.fittingBytes, bytes.isUTF8 else { return nil }
      self.init(.string, bytes)
    case .FLX_TYPE_BINARY:
      guard let bytes = value.binary.fittingBytes else { return nil }
      self.init(.binary, bytes)
    case .FLX_TYPE_TIMESTAMP:
      let (seconds, nanoseconds) = (value.timestamp.seconds, value.timestamp.nanoseconds)
      guard Timestamp(seconds: seconds, nanoseconds: nanoseconds) != nil else { return nil }
      self.init(.timestamp, UInt64(bitPattern: seconds), UInt64(bitPattern: Int64(nanoseconds)))
    case .FLX_TYPE_FLOAT: self.init(.float, UInt64(value.float_value.bitPattern))
    case .FLX_TYPE_DOUBLE: self.init(.double, value.double_value.bitPattern)
    case .FLX_TYPE_OBJECT_ID:
      let identifier = value.object_id.model
      self.init(.objectId, identifier.high, UInt64(identifier.low))
    case .FLX_TYPE_UUID:
      let identifier = value.uuid.model
      self.init(.uuid, identifier.high, identifier.low)
    case .FLX_TYPE_DECIMAL: self.init(.decimal, value.decimal.high, value.decimal.low)
    default: return nil
    }
  }
}

extension flx_string_t {
  /// The bytes, if there are not too many for a property; nil also for NULL with a size.
  @inline(__always)
  fileprivate var fittingBytes: UnsafeRawBufferPointer? {
    guard size >= 0, size <= SchemaLimits.valueByteCount, data != nil || size == 0 else { return nil }
    return bytes
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are valid UTF-8.
  @inline(__always)
  fileprivate var isUTF8: Bool {
    var position = 0
    while position + 8 <= count {
      guard loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else {
        break
      }
      position += 8
    }
    while position < count, self[position] < 0x80 { position += 1 }
    return position == count || hasOnlyCharacters
  }

  /// The same for bytes that are not all ASCII.
  @inline(never)
  private var hasOnlyCharacters: Bool { String(validating: self, as: UTF8.self) != nil }
}
