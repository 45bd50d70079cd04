// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

extension flx_object_id_t {
  init(_ id: ObjectId) {
    self.init()
    store(id.high, id.low, in: &self)
  }

  var model: ObjectId {
    let (high, low) = numbers(in: self, UInt32.self)
    return ObjectId(high: high, low: low)
  }
}

extension flx_uuid_t {
  init(_ id: UUIDValue) {
    self.init()
    store(id.high, id.low, in: &self)
  }

  var model: UUIDValue {
    let (high, low) = numbers(in: self, UInt64.self)
    return UUIDValue(high: high, low: low)
  }
}

/// Stores two numbers in the bytes of an identifier, the first byte of each most significant.
private func store<Low: FixedWidthInteger, Identifier>(_ high: UInt64, _ low: Low, in id: inout Identifier) {
  withUnsafeMutableBytes(of: &id) { bytes in
    bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
    bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: Low.self)
  }
}

/// Returns the numbers that `store` has stored.
private func numbers<Low: FixedWidthInteger, Identifier>(in id: Identifier, _: Low.Type) -> (UInt64, Low) {
  withUnsafeBytes(of: id) { bytes in
    let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    return (high, Low(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Low.self)))
  }
}

extension flx_decimal_t {
  init(_ decimal: Decimal128) { self.init(high: decimal.high, low: decimal.low) }

  var model: Decimal128 { Decimal128(high: high, low: low) }
}

extension flx_timestamp_t {
  init(_ timestamp: Timestamp) {
    self.init(seconds: timestamp.seconds, nanoseconds: timestamp.nanoseconds)
  }
}
