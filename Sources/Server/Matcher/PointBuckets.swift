// SPDX-License-Identifier: Apache-2.0

/// Predicates by the hash of a value they test for; one list per hash.
struct PointBuckets {
  private var heads = HashDirectory()

  /// The number of hashes that have predicates.
  var count: Int { heads.count }
  var byteCount: Int { heads.byteCount }

  private func position(_ hash: UInt64, _ pool: PostingPool) -> Int? {
    heads.find(hash) { pool[$0].key == hash }
  }

  /// Returns the number of predicates for a hash.
  func memberCount(_ hash: UInt64, _ pool: PostingPool) -> Int {
    position(hash, pool).map { Int(pool[heads[$0]].parent) } ?? 0
  }

  @inline(__always)
  func forEach(_ hash: UInt64, _ pool: PostingPool, _ body: (UInt32) -> Void) {
    guard let position = heads.find(hash, where: { pool[$0].key == hash }) else { return }
    var next = heads[position]
    while next != Posting.none {
      let posting = pool[next]
      body(posting.predicate)
      next = posting.left
    }
  }

  /// Adds a posting to the bucket of its hash.
  ///
  /// - Returns: The index of the posting and the new size of the bucket.
  mutating func insert(_ posting: Posting, _ pool: inout PostingPool) -> (index: UInt32, count: Int) {
    let new = pool.insert(posting)
    guard let position = position(posting.key, pool) else {
      pool[new].parent = 1
      heads.insert(new, hash: posting.key) { pool[$0].key }
      return (new, 1)
    }
    let head = heads[position]
    let count = pool[head].parent + 1
    pool[new].left = head
    pool[new].parent = count
    pool[head].right = new
    heads[position] = new
    return (new, Int(count))
  }

  mutating func remove(_ index: UInt32, _ pool: inout PostingPool) {
    let posting = pool[index]
    if let position = position(posting.key, pool) {
      let head = heads[position]
      if head != index {
        pool[head].parent -= 1
      } else if posting.left == Posting.none {
        heads.remove(at: position)
      } else {
        heads[position] = posting.left
        pool[posting.left].parent = posting.parent - 1
      }
    }
    if posting.left != Posting.none { pool[posting.left].right = posting.right }
    if posting.right != Posting.none { pool[posting.right].left = posting.left }
    pool.free(index)
  }
}
