// SPDX-License-Identifier: Apache-2.0

/// An open-addressing table from hashes to small numbers.
///
/// It keeps seven bits of each hash in an array of their own, so that a search that finds nothing touches one byte or
/// two; what a number stands for, and its whole hash, the owner knows.
struct HashDirectory {
  private static let empty: UInt8 = 0
  private static let removed: UInt8 = 1

  private var tags: [UInt8]
  private var values: [UInt32]
  /// The positions that are not empty.
  private var usedCount = 0
  private(set) var count = 0

  init() {
    tags = Array(repeating: HashDirectory.empty, count: 8)
    values = Array(repeating: 0, count: 8)
  }

  /// The bytes that the table takes.
  var byteCount: Int { tags.capacity + values.capacity * MemoryLayout<UInt32>.stride }

  /// The position of the value with this hash that `isWanted` says yes to.
  @inline(__always)
  func find(_ hash: UInt64, where isWanted: (UInt32) -> Bool) -> Int? {
    let tag = HashDirectory.tag(hash)
    let mask = tags.count - 1
    return tags.withUnsafeBufferPointer { tags in
      var position = Int(truncatingIfNeeded: hash) & mask
      while tags[position] != HashDirectory.empty {
        if tags[position] == tag, isWanted(values[position]) { return position }
        position = (position + 1) & mask
      }
      return nil
    }
  }

  subscript(position: Int) -> UInt32 {
    get { values[position] }
    set { values[position] = newValue }
  }

  /// Adds a value that is not there.
  ///
  /// - Parameter hashOf: The hash of a value that is there.
  mutating func insert(_ value: UInt32, hash: UInt64, hashOf: (UInt32) -> UInt64) {
    if (usedCount + 1) * 8 > tags.count * 5 { rebuild(hashOf) }
    let position = freePosition(hash)
    if tags[position] == HashDirectory.empty { usedCount += 1 }
    tags[position] = HashDirectory.tag(hash)
    values[position] = value
    count += 1
  }

  mutating func remove(at position: Int) {
    count -= 1
    let next = (position + 1) & (tags.count - 1)
    guard tags[next] == HashDirectory.empty else {
      tags[position] = HashDirectory.removed
      return
    }
    tags[position] = HashDirectory.empty
    usedCount -= 1
  }

  private mutating func rebuild(_ hashOf: (UInt32) -> UInt64) {
    let old = (tags: tags, values: values)
    var capacity = 8
    while capacity * 5 < (count + 1) * 8 * 3 / 2 { capacity *= 2 }
    tags = Array(repeating: HashDirectory.empty, count: capacity)
    values = Array(repeating: 0, count: capacity)
    usedCount = count
    for (tag, value) in zip(old.tags, old.values) where tag & 0x80 != 0 {
      let hash = hashOf(value)
      let position = freePosition(hash)
      tags[position] = HashDirectory.tag(hash)
      values[position] = value
    }
  }

  private func freePosition(_ hash: UInt64) -> Int {
    let mask = tags.count - 1
    var position = Int(truncatingIfNeeded: hash) & mask
    while tags[position] & 0x80 != 0 { position = (position + 1) & mask }
    return position
  }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: hash >> 57) }
}
