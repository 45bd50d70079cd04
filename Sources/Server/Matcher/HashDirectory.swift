// SPDX-License-Identifier: Apache-2.0

/// An open-addressing table from hashes to small numbers.
///
/// A search that finds nothing usually touches a single bit of a filter that fits the processor's own cache even with
/// a million numbers, or otherwise eight tags of seven bits. It takes few unpredictable branches, so the processor
/// can begin the next search before the previous one ends. The owner knows what a number stands for, its full hash,
/// and the meaning of its tag.
struct HashDirectory {
  private static let groupCount = 8
  private static let empty: UInt8 = 0
  private static let removed: UInt8 = 1
  private static let lowBits: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The first eight tags are repeated at the end, so that reading a group never has to wrap around.
  private var tags: [UInt8]
  private var values: [UInt32]
  /// One bit for each hash added since the last rebuild; two bits per position.
  private var filter: [UInt64]
  /// The number of positions that are not empty.
  private var usedCount = 0
  private(set) var count = 0
  /// The number of removed hashes whose bits are still set in the filter.
  private var staleCount = 0

  init() {
    tags = Array(repeating: HashDirectory.empty, count: 8 + HashDirectory.groupCount)
    values = Array(repeating: 0, count: 8)
    filter = [0]
  }

  /// The memory used by the table, in bytes.
  var byteCount: Int {
    tags.capacity + values.capacity * MemoryLayout<UInt32>.stride
      + filter.capacity * MemoryLayout<UInt64>.stride
  }

  // MARK: Searching

  /// Returns the position of the value that has this hash and that `isWanted` accepts.
  ///
  /// - Parameters:
  ///   - tag: The tag to match, in the bits selected by `tagMask`.
  ///   - isWanted: Whether a tag and a value are the ones sought.
  @inline(__always)
  func find(_ hash: UInt64, tag: UInt8, tagMask: UInt8, where isWanted: (UInt8, UInt32) -> Bool) -> Int? {
    guard mayContain(hash) else { return nil }
    let mask = values.count - 1
    let wanted = UInt64(tag & tagMask | 0x80) &* HashDirectory.lowBits
    let groupMask = UInt64(tagMask | 0x80) &* HashDirectory.lowBits
    return tags.withUnsafeBytes { tags in
      var start = Int(truncatingIfNeeded: hash) & mask
      while true {
        let group = UInt64(littleEndian: tags.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        var matches = HashDirectory.zeroBytes(group & groupMask ^ wanted)
        let empties = HashDirectory.zeroBytes(group)
        // Entries of this hash cannot lie beyond the first empty position.
        matches &= (empties & (0 &- empties)) &- 1
        while matches != 0 {
          let position = start + matches.trailingZeroBitCount / 8
          if isWanted(tags[position], values[position & mask]) { return position & mask }
          matches &= matches - 1
        }
        if empties != 0 { return nil }
        start = (start + HashDirectory.groupCount) & mask
      }
    }
  }

  /// Returns the position of a value whose tag was derived from its hash.
  @inline(__always)
  func find(_ hash: UInt64, where isWanted: (UInt32) -> Bool) -> Int? {
    find(hash, tag: HashDirectory.tag(hash), tagMask: 0x7F) { isWanted($1) }
  }

  @inline(__always)
  private func mayContain(_ hash: UInt64) -> Bool {
    filter[filterWord(hash)] >> (hash >> 32 & 63) & 1 != 0
  }

  @inline(__always)
  private func filterWord(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 38) & (filter.count - 1) }

  /// Sets the high bit of each byte that is zero. Bytes above a zero byte may be marked as well.
  @inline(__always)
  private static func zeroBytes(_ group: UInt64) -> UInt64 { (group &- lowBits) & ~group & highBits }

  subscript(position: Int) -> UInt32 {
    get { values[position] }
    set { values[position] = newValue }
  }

  /// Returns the seven bits that the owner stores for a position.
  func tag(at position: Int) -> UInt8 { tags[position] & 0x7F }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 57) }

  // MARK: Changing

  mutating func setTag(_ tag: UInt8, at position: Int) { mark(0x80 | tag, at: position) }

  /// Adds a value that is not in the table yet.
  ///
  /// - Parameters:
  ///   - tag: A seven-bit tag; derived from the hash by default.
  ///   - hashOf: Returns the hash of a value in the table.
  mutating func insert(_ value: UInt32, hash: UInt64, tag: UInt8? = nil, hashOf: (UInt32) -> UInt64) {
    if (usedCount + 1) * 8 > values.count * 5 || staleCount > values.count { rebuild(hashOf) }
    filter[filterWord(hash)] |= 1 << (hash >> 32 & 63)
    let position = freePosition(hash)
    if tags[position] == HashDirectory.empty { usedCount += 1 }
    mark(0x80 | (tag ?? HashDirectory.tag(hash)), at: position)
    values[position] = value
    count += 1
  }

  mutating func remove(at position: Int) {
    count -= 1
    staleCount += 1
    // If the next position is empty, searches would stop there anyway, so no tombstone is needed.
    let isLast = tags[(position + 1) & (values.count - 1)] == HashDirectory.empty
    mark(isLast ? HashDirectory.empty : HashDirectory.removed, at: position)
    if isLast { usedCount -= 1 }
  }

  private mutating func rebuild(_ hashOf: (UInt32) -> UInt64) {
    let old = (tags: tags, values: values)
    var capacity = 8
    while capacity * 5 < (count + 1) * 8 * 3 / 2 { capacity *= 2 }
    tags = Array(repeating: HashDirectory.empty, count: capacity + HashDirectory.groupCount)
    values = Array(repeating: 0, count: capacity)
    filter = Array(repeating: 0, count: max(1, capacity / 32))
    usedCount = count
    staleCount = 0
    for (position, value) in old.values.enumerated() where old.tags[position] & 0x80 != 0 {
      let hash = hashOf(value)
      filter[filterWord(hash)] |= 1 << (hash >> 32 & 63)
      let new = freePosition(hash)
      mark(old.tags[position], at: new)
      values[new] = value
    }
  }

  private mutating func mark(_ tag: UInt8, at position: Int) {
    tags[position] = tag
    if position < HashDirectory.groupCount { tags[values.count + position] = tag }
  }

  private func freePosition(_ hash: UInt64) -> Int {
    let mask = values.count - 1
    var position = Int(truncatingIfNeeded: hash) & mask
    while tags[position] & 0x80 != 0 { position = (position + 1) & mask }
    return position
  }
}
