// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Heaps of bounds. All bounds that a value satisfies are found from the root by examining only them and their
/// children, so a value that satisfies none costs a single comparison, however many bounds there are.
///
/// The heaps are randomised binary heaps: their expected depth is logarithmic for any order of insertions and
/// removals.
struct BoundHeaps {
  /// The side of the bounds in a heap.
  enum Side: UInt32 {
    /// Satisfied by values at or above the bound.
    case lower = 0
    /// Satisfied by values at or below the bound. Keys are complemented.
    case upper = 1
  }

  /// The two heaps of one place: a block of keys, or all keys of a slot.
  struct Place {
    /// The hash of the block; 0 for all keys.
    let hash: UInt64
    private let whereabouts: UInt32
    var lowerRoot = Posting.none
    var upperRoot = Posting.none
    var count: UInt32 = 0

    /// - Parameter level: The level of the block; nil for all keys of the slot.
    init(hash: UInt64, slot: Int, kind: OrderKey.Kind, level: Int?) {
      self.hash = hash
      whereabouts = UInt32(slot) << 16 | UInt32(kind.rawValue) << 8 | UInt32(level.map { $0 + 1 } ?? 0)
    }

    var slot: Int { Int(whereabouts >> 16) }
    var kind: OrderKey.Kind? { OrderKey.Kind(rawValue: UInt8(truncatingIfNeeded: whereabouts >> 8)) }
    var level: Int? { whereabouts & 0xFF == 0 ? nil : Int(whereabouts & 0xFF) - 1 }
  }

  private static let placeFlag: UInt32 = 1 << 31

  private var places: [Place] = []
  private var freePlaces: [UInt32] = []
  private var randomState: UInt64 = 0x9E37_79B9_7F4A_7C15

  var byteCount: Int { places.capacity * MemoryLayout<Place>.stride + freePlaces.capacity * 4 }

  subscript(place: UInt32) -> Place { places[Int(place)] }

  mutating func makePlace(_ place: Place) -> UInt32 {
    guard let index = freePlaces.popLast() else {
      places.append(place)
      return UInt32(places.count - 1)
    }
    places[Int(index)] = place
    return index
  }

  /// Frees a place, which must be empty.
  mutating func freePlace(_ place: UInt32) { freePlaces.append(place) }

  // MARK: Searching

  /// Calls `body` for each predicate with a bound that the value satisfies.
  ///
  /// - Parameter value: The value to compare with the constants of bounds that have the same key.
  @inline(__always)
  func forEach(
    in place: UInt32,
    at key: UInt64,
    _ value: Value,
    _ pool: PostingPool,
    _ constants: [Value],
    _ body: (UInt32) -> Void
  ) {
    let place = places[Int(place)]
    if place.lowerRoot != Posting.none, pool[place.lowerRoot].key <= key {
      visit(place.lowerRoot, .lower, key, value, pool, constants, body)
    }
    if place.upperRoot != Posting.none, pool[place.upperRoot].key <= ~key {
      visit(place.upperRoot, .upper, ~key, value, pool, constants, body)
    }
  }

  private func visit(
    _ index: UInt32,
    _ side: Side,
    _ key: UInt64,
    _ value: Value,
    _ pool: PostingPool,
    _ constants: [Value],
    _ body: (UInt32) -> Void
  ) {
    let posting = pool[index]
    guard posting.key <= key else { return }
    if posting.key == key, posting.detail != Posting.none {
      let order = TextOrder.compare(constants[Int(posting.detail)], value)
      if side == .lower ? order > 0 : order < 0 { return }
    }
    body(posting.predicate)
    if posting.left != Posting.none { visit(posting.left, side, key, value, pool, constants, body) }
    if posting.right != Posting.none { visit(posting.right, side, key, value, pool, constants, body) }
  }

  // MARK: Changing

  mutating func insert(
    _ posting: Posting,
    _ side: Side,
    in place: UInt32,
    _ pool: inout PostingPool,
    _ constants: [Value]
  ) -> UInt32 {
    let new = pool.insert(posting)
    places[Int(place)].count += 1
    let root = merge(root(side, of: place), new, side, &pool, constants)
    setRoot(root, side, of: place, &pool)
    return new
  }

  /// Removes a bound.
  ///
  /// - Returns: The place of the bound if it is now empty; otherwise nil.
  mutating func remove(_ index: UInt32, _ pool: inout PostingPool, _ constants: [Value]) -> UInt32? {
    let posting = pool[index]
    let (place, side) = home(of: index, pool)
    let child = merge(posting.left, posting.right, side, &pool, constants)
    if posting.parent & BoundHeaps.placeFlag != 0 {
      setRoot(child, side, of: place, &pool)
    } else {
      if pool[posting.parent].left == index {
        pool[posting.parent].left = child
      } else {
        pool[posting.parent].right = child
      }
      if child != Posting.none { pool[child].parent = posting.parent }
    }
    pool.free(index)
    places[Int(place)].count -= 1
    return places[Int(place)].count == 0 ? place : nil
  }

  private func home(of index: UInt32, _ pool: PostingPool) -> (place: UInt32, side: Side) {
    var parent = pool[index].parent
    while parent & BoundHeaps.placeFlag == 0 { parent = pool[parent].parent }
    let home = parent & ~BoundHeaps.placeFlag
    return (home >> 1, home & 1 == 0 ? .lower : .upper)
  }

  private func root(_ side: Side, of place: UInt32) -> UInt32 {
    side == .lower ? places[Int(place)].lowerRoot : places[Int(place)].upperRoot
  }

  private mutating func setRoot(_ root: UInt32, _ side: Side, of place: UInt32, _ pool: inout PostingPool) {
    if side == .lower { places[Int(place)].lowerRoot = root } else { places[Int(place)].upperRoot = root }
    if root != Posting.none { pool[root].parent = BoundHeaps.placeFlag | place << 1 | side.rawValue }
  }

  private mutating func merge(
    _ left: UInt32,
    _ right: UInt32,
    _ side: Side,
    _ pool: inout PostingPool,
    _ constants: [Value]
  ) -> UInt32 {
    if left == Posting.none { return right }
    if right == Posting.none { return left }
    let isSwapped = precedes(right, left, side, pool, constants)
    let (top, other) = isSwapped ? (right, left) : (left, right)
    if nextRandomBit() {
      let child = merge(pool[top].left, other, side, &pool, constants)
      pool[top].left = child
      pool[child].parent = top
    } else {
      let child = merge(pool[top].right, other, side, &pool, constants)
      pool[top].right = child
      pool[child].parent = top
    }
    return top
  }

  private func precedes(
    _ left: UInt32,
    _ right: UInt32,
    _ side: Side,
    _ pool: PostingPool,
    _ constants: [Value]
  ) -> Bool {
    let (left, right) = (pool[left], pool[right])
    if left.key != right.key { return left.key < right.key }
    guard left.detail != Posting.none, right.detail != Posting.none else { return false }
    let order = TextOrder.compare(constants[Int(left.detail)], constants[Int(right.detail)])
    return side == .lower ? order < 0 : order > 0
  }

  private mutating func nextRandomBit() -> Bool {
    randomState ^= randomState << 13
    randomState ^= randomState >> 7
    randomState ^= randomState << 17
    return randomState & 1 == 0
  }
}

/// The order of texts and binaries by their bytes.
enum TextOrder {
  /// Returns a negative number, zero or a positive number. Values that are not text sort before all texts.
  static func compare(_ left: Value, _ right: Value) -> Int {
    if case .string(let left) = left, case .string(let right) = right {
      return UTF8Order.compare(left, right)
    }
    var order = (left.hasText ? 1 : 0) - (right.hasText ? 1 : 0)
    left.withTextBytes { leftBytes in
      right.withTextBytes { rightBytes in
        order =
          leftBytes.elementsEqual(rightBytes) ? 0 : leftBytes.lexicographicallyPrecedes(rightBytes) ? -1 : 1
      }
    }
    return order
  }
}
