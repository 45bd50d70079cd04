// SPDX-License-Identifier: Apache-2.0

/// One way on which a predicate is reached: a member of a bucket of equal values, or of a heap of bounds.
struct Posting {
  /// No posting, and no constant.
  static let none = UInt32.max
  private static let boundFlag: UInt32 = 1 << 31

  /// The hash of the bucket, or the key of the bound; keys of upper bounds are complemented, so that the bound that is
  /// met first is always the smallest.
  let key: UInt64
  private let owner: UInt32
  /// Of a bound the position of the constant that decides between equal keys, `none` if there is none; of a member of
  /// a bucket the slot, and in the upper half how many bytes of a text were hashed, 0 if it was the whole value.
  let detail: UInt32
  /// In a bucket the next member, in a heap a child.
  var left = Posting.none
  /// In a bucket the member before, in a heap a child.
  var right = Posting.none
  /// In a heap the parent, or for the root the place of the heap; at the head of a bucket the number of members.
  var parent = Posting.none
  /// The next posting of the same predicate.
  var sibling = Posting.none

  /// A bound in a heap.
  init(bound key: UInt64, predicate: UInt32, constant: Int?) {
    self.key = key
    owner = predicate | Posting.boundFlag
    detail = constant.map { UInt32($0) } ?? Posting.none
  }

  /// A member of a bucket.
  init(hash: UInt64, predicate: UInt32, slot: Int, prefixLength: Int) {
    key = hash
    owner = predicate
    detail = UInt32(slot) | UInt32(prefixLength) << 16
  }

  var predicate: UInt32 { owner & ~Posting.boundFlag }
  var isBound: Bool { owner & Posting.boundFlag != 0 }
  var slot: Int { Int(detail & 0xFFFF) }
  var prefixLength: Int { Int(detail >> 16) }
}

/// All postings of an index in one array.
struct PostingPool {
  private var postings: [Posting] = []
  private var firstFree = Posting.none

  var byteCount: Int { postings.capacity * MemoryLayout<Posting>.stride }

  subscript(index: UInt32) -> Posting {
    @inline(__always) get { postings[Int(index)] }
    @inline(__always) _modify { yield &postings[Int(index)] }
  }

  mutating func insert(_ posting: Posting) -> UInt32 {
    guard firstFree != Posting.none else {
      postings.append(posting)
      return UInt32(postings.count - 1)
    }
    let index = firstFree
    firstFree = postings[Int(index)].sibling
    postings[Int(index)] = posting
    return index
  }

  mutating func free(_ index: UInt32) {
    postings[Int(index)].sibling = firstFree
    firstFree = index
  }
}
