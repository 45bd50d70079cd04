// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Hashes of values for the buckets of an index: fast, and seeded so that clients cannot choose colliding constants.
struct MatchHash {
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed | 1
  }

  /// Returns the hash of a value in a slot; nil for values that equal no constant in a bucket. If the evaluator
  /// considers a value equal to a constant, the value's hash is among those that `constants(_:slot:)` returns for the
  /// constant.
  @inline(__always)
  func value(_ value: Value, slot: Int) -> UInt64? {
    switch value {
    case .null: return mix(0, .null, slot)
    case .int(let int): return mix(UInt64(bitPattern: int), .integer, slot)
    case .bool(let bool): return mix(bool ? 1 : 0, .bool, slot)
    case .string(let string): return text(string, .text, slot: slot)
    case .malformedString(let bytes), .binary(let bytes):
      return bytes.withUnsafeBytes { text($0, .text, slot: slot) }
    case .timestamp(let time):
      return mix(
        UInt64(bitPattern: time.seconds) &* 1_000_000_007 ^ UInt64(time.nanoseconds.magnitude),
        .time,
        slot
      )
    case .float(let float): return number(Double(float), slot)
    case .double(let double): return number(double, slot)
    case .decimal(let decimal):
      return number(NumberKey.double(decimal), integer: NumberKey.integer(decimal), slot)
    case .objectId(let id): return mix(id.high ^ UInt64(id.low) &* 0x9E37_79B9_7F4A_7C15, .objectId, slot)
    case .uuid(let uuid): return mix(uuid.high ^ uuid.low &* 0x9E37_79B9_7F4A_7C15, .uuid, slot)
    case .link(let link): return self.link(link, slot: slot)
    case .list, .dictionary: return nil
    }
  }

  /// Returns the hashes under which a constant must be filed. Floats and decimals also compare by the float's
  /// shortest text, so 0.1 equals the nearest float.
  func constants(_ value: Value, slot: Int) -> [UInt64]? {
    guard let hash = self.value(value, slot: slot) else { return nil }
    let other: UInt64? =
      switch value {
      case .float(let float): number(NumberKey.shortest(float), slot)
      case .decimal(let decimal): number(Double(Float(NumberKey.double(decimal))), slot)
      default: nil
      }
    guard let other, other != hash else { return [hash] }
    return [hash, other]
  }

  /// Returns the hash of a prefix of a text.
  func prefix(_ bytes: UnsafeRawBufferPointer, slot: Int) -> UInt64 { text(bytes, .prefix, slot: slot) }

  /// Returns the hash of a block of keys; see `RangeBlocks`.
  @inline(__always)
  func block(_ block: UInt64, level: Int, kind: OrderKey.Kind, slot: Int) -> UInt64 {
    mix(block, .block, slot &* 4096 &+ level &* 16 &+ Int(kind.rawValue))
  }

  private enum Kind: UInt64 {
    case null = 0x243F_6A88_85A3_08D3
    case integer = 0x1319_8A2E_0370_7344
    case number = 0xA409_3822_299F_31D0
    case bool = 0x082E_FA98_EC4E_6C89
    case text = 0x4528_21E6_38D0_1377
    case time = 0xBE54_66CF_34E9_0C6C
    case objectId = 0xC0AC_29B7_C97C_50DD
    case uuid = 0x3F84_D5B5_B547_0917
    case link = 0x9216_D5D9_8979_FB1B
    case prefix = 0xD131_0BA6_98DF_B5AC
    case block = 0x2FFD_72DB_D01A_DFB7
  }

  private func link(_ link: Link, slot: Int) -> UInt64? {
    switch link.key {
    case .null: mix(0, .link, slot)
    case .int(let int): mix(UInt64(bitPattern: int), .link, slot)
    case .string(let string): text(string, .link, slot: slot)
    case .objectId(let id): mix(id.high ^ UInt64(id.low), .link, slot)
    case .uuid(let uuid): mix(uuid.high ^ uuid.low, .link, slot)
    case .globalKey: nil
    }
  }

  @inline(__always)
  private func number(_ double: Double, integer: Int64? = nil, _ slot: Int) -> UInt64 {
    if let integer = integer ?? Int64(exactly: double) {
      return mix(UInt64(bitPattern: integer), .integer, slot)
    }
    return mix(double.isNaN ? 1 : double.bitPattern, .number, slot)
  }

  @inline(__always)
  private func mix(_ word: UInt64, _ kind: Kind, _ slot: Int) -> UInt64 {
    MatchHash.fold(
      word ^ seed,
      kind.rawValue &+ UInt64(truncatingIfNeeded: slot) &* 0x9E37_79B9_7F4A_7C15
    ) ^ MatchHash.fold(word &+ kind.rawValue, seed)
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  @inline(__always)
  private func text(_ string: String, _ kind: Kind, slot: Int) -> UInt64 {
    var string = string
    return string.withUTF8 { text(UnsafeRawBufferPointer($0), kind, slot: slot) }
  }

  private func text(_ bytes: UnsafeRawBufferPointer, _ kind: Kind, slot: Int) -> UInt64 {
    var state = seed ^ UInt64(bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      state = MatchHash.fold(
        state ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
        kind.rawValue
      )
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < bytes.count {
      tail = tail << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return mix(state ^ tail, kind, slot)
  }
}
