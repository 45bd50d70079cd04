// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

extension flx_object_id_t {
  init(_ id: ObjectId) {
    self.init()
    withUnsafeMutableBytes(of: &self) { bytes in
      bytes.storeBytes(of: id.high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt32.self)
    }
  }

  var model: ObjectId {
    withUnsafeBytes(of: self) { bytes in
      ObjectId(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      )
    }
  }
}

extension flx_uuid_t {
  init(_ id: UUIDValue) {
    self.init()
    withUnsafeMutableBytes(of: &self) { bytes in
      bytes.storeBytes(of: id.high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
  }

  var model: UUIDValue {
    withUnsafeBytes(of: self) { bytes in
      UUIDValue(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
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
