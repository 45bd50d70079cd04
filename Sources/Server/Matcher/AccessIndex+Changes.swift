// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension AccessIndex {
  /// A bucket to which a constant belongs.
  private struct Bucket {
    let hash: UInt64
    var prefixLength = 0
  }

  /// Returns the cost of an access path: roughly the number of predicates that are evaluated in vain. Nil if the path
  /// cannot be used with these constants.
  ///
  /// Single values are preferred, since a value seldom equals the constants of other predicates. That changes once
  /// very many predicates share one constant: all of them would be evaluated whenever it occurs.
  func cost(of form: AccessForm, _ constants: ArraySlice<Value>) -> Int? {
    if case .range = form { return range(form, constants).map(cost) }
    let isCoarse = slots[form.slot].slot.type == .bool
    return buckets(form, constants)?.reduce(isCoarse ? 32 : 0) { cost, bucket in
      let coarseness = bucket.prefixLength == 0 ? 0 : max(2, 16 - 2 * bucket.prefixLength)
      return cost + coarseness + points.memberCount(bucket.hash, pool)
    }
  }

  private func cost(of range: KeyRange) -> Int {
    if range.sharedLength != nil { return 24 }
    if range.isClosed { return 32 }
    let open = slots[range.slot].ranges(range.kind)?.open ?? Posting.none
    return 48 + (open == Posting.none ? 0 : Int(heaps[open].count) / 32)
  }

  /// Returns the buckets of an access path's constants; nil if one of them cannot have a bucket.
  private func buckets(_ form: AccessForm, _ constants: ArraySlice<Value>) -> [Bucket]? {
    var buckets: [Bucket] = []
    switch form {
    case .points(let test):
      for index in test.constants {
        guard let hashes = hash.constants(constants.at(Int32(index)), slot: form.slot) else { return nil }
        buckets += hashes.map { Bucket(hash: $0) }
      }
    case .prefixes(let test):
      for index in test.constants {
        let constant = constants.at(Int32(index))
        guard let bucket = bucket(prefix: constant, maximumLength: .max, slot: form.slot) else { return nil }
        buckets.append(bucket)
      }
    case .range: return nil
    }
    return buckets
  }

  /// Returns nil for the empty text, which is a prefix of every text, and for a value that is not a text.
  private func bucket(prefix constant: Value, maximumLength: Int, slot: Int) -> Bucket? {
    var bucket: Bucket?
    constant.withTextBytes { bytes in
      let length = min(bytes.count, maximumLength, SlotAccess.maximumPrefixLength)
      guard length > 0 else { return }
      let hash = hash.prefix(UnsafeRawBufferPointer(rebasing: bytes[..<length]), slot: slot)
      bucket = Bucket(hash: hash, prefixLength: length)
    }
    return bucket
  }

  private func range(_ form: AccessForm, _ constants: ArraySlice<Value>) -> KeyRange? {
    guard case .range(let lower, let upper) = form else { return nil }
    return KeyRange(lower, upper, constants, isInteger: slots[form.slot].isInteger)
  }

  // MARK: Adding

  /// Files a predicate under an access path for which `cost(of:_:)` is not nil.
  ///
  /// - Parameters:
  ///   - own: The range of the predicate's constants in `constants`.
  ///   - sibling: The predicate's first posting so far. Set to the posting added last.
  /// - Returns: The size of the largest bucket the predicate was added to.
  mutating func insert(
    _ predicate: UInt32,
    under form: AccessForm,
    _ constants: [Value],
    own: Range<Int>,
    before sibling: inout UInt32
  ) -> Int {
    if let range = range(form, constants[own]) {
      if let length = range.sharedLength, let constant = range.lowerConstant,
        let bucket = bucket(
          prefix: constants[own.lowerBound + constant],
          maximumLength: length,
          slot: range.slot
        )
      {
        return insert(predicate, bucket, slot: range.slot, before: &sibling)
      }
      insert(predicate, range, constants, firstConstant: own.lowerBound, before: &sibling)
      return 0
    }
    var crowd = 0
    for bucket in buckets(form, constants[own]) ?? [] {
      crowd = max(crowd, insert(predicate, bucket, slot: form.slot, before: &sibling))
    }
    return crowd
  }

  private mutating func insert(_ predicate: UInt32, _ bucket: Bucket, slot: Int, before sibling: inout UInt32)
    -> Int
  {
    let posting = Posting(
      hash: bucket.hash,
      predicate: predicate,
      slot: slot,
      prefixLength: bucket.prefixLength
    )
    let (index, count) = points.insert(posting, &pool)
    slots[slot].changeCount(prefixLength: bucket.prefixLength, by: 1)
    link(index, before: &sibling)
    return count
  }

  private mutating func insert(
    _ predicate: UInt32,
    _ range: KeyRange,
    _ constants: [Value],
    firstConstant: Int,
    before sibling: inout UInt32
  ) {
    guard !range.isEmpty else { return }
    let lower = range.lower.map { key in
      Posting(
        bound: key,
        predicate: predicate,
        constant: range.lowerConstant.map { $0 + firstConstant }
      )
    }
    let upper = range.upper.map { key in
      Posting(
        bound: ~key,
        predicate: predicate,
        constant: range.upperConstant.map { $0 + firstConstant }
      )
    }
    guard let lowerKey = range.lower, let upperKey = range.upper, let lower, let upper else {
      let place = openPlace(range)
      if let lower { link(heaps.insert(lower, .lower, in: place, &pool, constants), before: &sibling) }
      if let upper { link(heaps.insert(upper, .upper, in: place, &pool, constants), before: &sibling) }
      return
    }
    let blocks = RangeBlocks(lower: lowerKey, upper: upperKey)
    for block in blocks.first...blocks.last {
      let isLast = block == blocks.last && block != blocks.first
      let key = isLast ? upperKey : max(lowerKey, block << UInt64(blocks.level))
      let place = place(
        of: block,
        level: blocks.level,
        range,
        isLast ? .upper : .lower,
        BlockTag.quarter(of: key, level: blocks.level)
      )
      let index = heaps.insert(isLast ? upper : lower, isLast ? .upper : .lower, in: place, &pool, constants)
      link(index, before: &sibling)
    }
  }

  private mutating func link(_ index: UInt32, before sibling: inout UInt32) {
    pool[index].sibling = sibling
    sibling = index
  }

  private mutating func openPlace(_ range: KeyRange) -> UInt32 {
    if let open = slots[range.slot].ranges(range.kind)?.open, open != Posting.none { return open }
    let place = heaps.makePlace(BoundHeaps.Place(hash: 0, slot: range.slot, kind: range.kind, level: nil))
    slots[range.slot].changeRanges(range.kind) { $0.open = place }
    return place
  }

  /// Returns the place of a block, creating it if needed, and records a bound in one of its quarters.
  private mutating func place(
    of block: UInt64,
    level: Int,
    _ range: KeyRange,
    _ side: BoundHeaps.Side,
    _ quarter: UInt64
  ) -> UInt32 {
    let hash = hash.block(block, level: level, kind: range.kind, slot: range.slot)
    if let position = position(ofBlock: hash) {
      var tag = BlockTag(bits: blocks.tag(at: position))
      tag.add(side, quarter: quarter)
      blocks.setTag(tag.bits, at: position)
      return blocks[position]
    }
    var tag = BlockTag(hash: hash)
    tag.add(side, quarter: quarter)
    let place = heaps.makePlace(
      BoundHeaps.Place(hash: hash, slot: range.slot, kind: range.kind, level: level)
    )
    blocks.insert(place, hash: hash, tag: tag.bits) { [heaps] in heaps[$0].hash }
    slots[range.slot].changeRanges(range.kind) { $0.add(level: level) }
    return place
  }

  private func position(ofBlock hash: UInt64) -> Int? {
    blocks.find(hash, tag: BlockTag.hashBits(hash), tagMask: BlockTag.hashMask) { heaps[$1].hash == hash }
  }

  // MARK: Removing

  /// Removes all postings of a predicate.
  ///
  /// - Parameter first: Its first posting.
  mutating func remove(from first: UInt32, _ constants: [Value]) {
    var next = first
    while next != Posting.none {
      let posting = pool[next]
      if posting.isBound {
        if let place = heaps.remove(next, &pool, constants) { forget(place) }
      } else {
        points.remove(next, &pool)
        slots[posting.slot].changeCount(prefixLength: posting.prefixLength, by: -1)
      }
      next = posting.sibling
    }
  }

  private mutating func forget(_ index: UInt32) {
    let place = heaps[index]
    if let kind = place.kind {
      slots[place.slot].changeRanges(kind) { ranges in
        if let level = place.level { ranges.remove(level: level) } else { ranges.open = Posting.none }
      }
    }
    if place.level != nil, let position = position(ofBlock: place.hash) {
      blocks.remove(at: position)
    }
    heaps.freePlace(index)
  }
}
