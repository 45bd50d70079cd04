// SPDX-License-Identifier: Apache-2.0

/// One access path to a predicate: a member of a bucket of equal values, or a bound in a heap.
struct Posting {
  /// The absence of a posting or constant.
  static let none = UInt32.max
  private static let boundFlag: UInt32 = 1 << 31

  /// The hash of the bucket or the key of the bound. Keys of upper bounds are complemented, so that the first bound
  /// satisfied always has the smallest key.
  let key: UInt64
  private let owner: UInt32
  /// For a bound, the position of the constant that decides between equal keys, or `none`. For a bucket member, the
  /// slot, with the number of hashed prefix bytes in the upper half; 0 stands for the whole value.
  let detail: UInt32
  /// The next member of the bucket, or a child in the heap.
  var left = Posting.none
  /// The previous member of the bucket, or a child in the heap.
  var right = Posting.none
  /// In a heap the parent, or the heap's place for the root. At the head of a bucket, the number of members.
  var parent = Posting.none
  /// The next posting of the same predicate.
  var sibling = Posting.none

  /// Creates a bound in a heap.
  init(bound key: UInt64, predicate: UInt32, constant: Int?) {
    self.key = key
    owner = predicate | Posting.boundFlag
    detail = constant.map { UInt32($0) } ?? Posting.none
  }

  /// Creates a member of a bucket.
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
