// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension Decimal128 {
  init(_ decimal: flx_decimal_t) { self.init(high: decimal.high, low: decimal.low) }

  var flexValue: flx_decimal_t { flx_decimal_t(high: high, low: low) }

  static func parse(_ text: String) -> Decimal128? {
    var decimal = flx_decimal_t()
    return text.withFlexString { flx_decimal_parse($0, &decimal) } ? Decimal128(decimal) : nil
  }

  var formatted: String { text(capacity: Int(FLX_DECIMAL_TEXT_SIZE)) { flx_decimal_format(flexValue, $0) } }

  /// Negative if the number is less than the other, 0 if they are equal.
  func order(to other: Decimal128) -> Int32 { flx_decimal_compare(flexValue, other.flexValue) }

  func adding(_ other: Decimal128) -> Decimal128 { Decimal128(flx_decimal_add(flexValue, other.flexValue)) }

  func subtracting(_ other: Decimal128) -> Decimal128 {
    Decimal128(flx_decimal_subtract(flexValue, other.flexValue))
  }

  func multiplied(by other: Decimal128) -> Decimal128 {
    Decimal128(flx_decimal_multiply(flexValue, other.flexValue))
  }

  func divided(by other: Decimal128) -> Decimal128 {
    Decimal128(flx_decimal_divide(flexValue, other.flexValue))
  }
}

extension ObjectId {
  static var generated: ObjectId { ObjectId(flx_object_id_generate()) }

  static func parse(_ text: String) -> ObjectId? {
    var identifier = flx_object_id_t()
    return text.withFlexString { flx_object_id_parse($0, &identifier) } ? ObjectId(identifier) : nil
  }

  init(_ identifier: flx_object_id_t) {
    self = withUnsafeBytes(of: identifier.bytes) { bytes in
      ObjectId(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      )
    }
  }

  var flexValue: flx_object_id_t {
    var identifier = flx_object_id_t()
    withUnsafeMutableBytes(of: &identifier.bytes) { bytes in
      bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
    }
    return identifier
  }

  var formatted: String {
    withUnsafePointer(to: flexValue) { id in text(capacity: 25) { flx_object_id_format(id, $0) } }
  }
}

/// The text that a C function writes, with its terminating zero.
private func text(capacity: Int, _ write: (UnsafeMutablePointer<CChar>) -> Void) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
    guard let base = text.baseAddress else { return "" }
    write(base)
    return String(cString: base)
  }
}
