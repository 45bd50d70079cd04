// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The access paths from values to predicates: buckets of equal values and heaps of bounds, for all slots.
struct AccessIndex {
  let hash: MatchHash
  var pool = PostingPool()
  var points = PointBuckets()
  var heaps = BoundHeaps()
  /// The key blocks that have heaps, by hash.
  var blocks = HashDirectory()
  var slots: [SlotAccess] = []
  /// The slots with access paths to a predicate.
  private(set) var usedSlots: [Int] = []

  init(seed: UInt64) {
    hash = MatchHash(seed: seed)
  }

  var byteCount: Int { pool.byteCount + points.byteCount + heaps.byteCount + blocks.byteCount }

  mutating func updateUsedSlots() {
    usedSlots = slots.indices.filter { slots[$0].isUsed }
  }

  // MARK: Searching

  /// Appends the predicates found from a value of a slot. Some may be appended more than once.
  func collect(_ value: Value, slot index: Int, _ constants: [Value], into candidates: inout [UInt32]) {
    let slot = slots[index]
    if slot.pointCount > 0, let hash = hash.value(value, slot: index) {
      points.forEach(hash, pool) { candidates.append($0) }
    }
    if !slot.prefixes.isEmpty { collectPrefixes(value, slot, index, into: &candidates) }
    if slot.hasRanges { collectRanges(value, slot, index, constants, into: &candidates) }
  }

  private func collectPrefixes(
    _ value: Value,
    _ slot: SlotAccess,
    _ index: Int,
    into candidates: inout [UInt32]
  ) {
    value.withTextBytes { bytes in
      for (length, _) in slot.prefixes {
        guard length <= bytes.count else { break }
        let hash = hash.prefix(UnsafeRawBufferPointer(rebasing: bytes[..<length]), slot: index)
        points.forEach(hash, pool) { candidates.append($0) }
      }
    }
  }

  private func collectRanges(
    _ value: Value,
    _ slot: SlotAccess,
    _ index: Int,
    _ constants: [Value],
    into candidates: inout [UInt32]
  ) {
    guard let place = OrderKey(value, isInteger: slot.isInteger) else {
      return collectAboveNull(value, slot, constants, into: &candidates)
    }
    guard let ranges = slot.ranges(place.kind) else { return }
    if ranges.open != Posting.none {
      heaps.forEach(in: ranges.open, at: place.key, value, pool, constants) { candidates.append($0) }
    }
    var levels = ranges.levels
    while levels != 0 {
      let level = levels.trailingZeroBitCount
      levels &= levels - 1
      guard let position = position(of: place, level: level, slot: index) else { continue }
      heaps.forEach(in: blocks[position], at: place.key, value, pool, constants) { candidates.append($0) }
    }
  }

  /// Returns the position of a key's block; nil if the key cannot satisfy any bound in it.
  @inline(__always)
  private func position(of place: OrderKey, level: Int, slot: Int) -> Int? {
    let hash = hash.block(place.key >> UInt64(level), level: level, kind: place.kind, slot: slot)
    let hashBits = BlockTag.hashBits(hash)
    let quarter = BlockTag.quarter(of: place.key, level: level)
    let lower = BlockTag.code(.lower, quarter)
    let upper = BlockTag.code(.upper, quarter)
    return blocks.find(hash, tag: hashBits, tagMask: BlockTag.hashMask) { tag, place in
      (tag >> 2 & 0b11 >= lower || tag & 0b11 >= upper) && heaps[place].hash == hash
    }
  }

  /// Null sorts below every text (QueryLanguage §5), so it satisfies all upper bounds on text.
  private func collectAboveNull(
    _ value: Value,
    _ slot: SlotAccess,
    _ constants: [Value],
    into candidates: inout [UInt32]
  ) {
    guard value == .null else { return }
    for kind in OrderKey.Kind.allCases {
      guard let open = slot.ranges(kind)?.open, open != Posting.none else { continue }
      heaps.forEach(in: open, at: 0, value, pool, constants) { candidates.append($0) }
    }
  }
}

extension Value {
  /// Whether the value is a string or binary.
  var hasText: Bool {
    switch self {
    case .string, .malformedString, .binary: true
    default: false
    }
  }

  /// Calls `body` with the bytes of a string or binary value; does nothing for other values.
  @inline(__always)
  func withTextBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    switch self {
    case .string(var string): string.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .malformedString(let bytes), .binary(let bytes): bytes.withUnsafeBytes(body)
    default: break
    }
  }
}
