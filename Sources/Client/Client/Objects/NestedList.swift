// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel

/// The live list nested in a mixed. It shows whatever list is currently at its place.
final class NestedList: ManagedList {
  private let place: MixedPlace
  private var texts = TextArena()
  private var cache: [Value]?
  /// The realm's stamp at which the cache is valid.
  private var stamp: UInt64 = 0

  init(_ place: MixedPlace) {
    self.place = place
    super.init(nestedIn: place.object, place.column)
  }

  // MARK: Reading

  override func count() throws -> Int { try elements().count }

  override func value(at index: Int) throws -> flx_value_t {
    let element = try element(at: index)
    texts.removeAll()
    return try place.object.realm.lent(element, &texts)
  }

  override func place(at index: Int) throws -> MixedPlace {
    _ = try element(at: index)
    return place(of: index)
  }

  private func place(of index: Int) -> MixedPlace {
    place.appending(.index(UInt32(truncatingIfNeeded: index)))
  }

  private func element(at index: Int) throws -> Value {
    let elements = try elements()
    guard index >= 0, index < elements.count else {
      throw CoreError.indexOutOfBounds(index, count: elements.count)
    }
    return elements[index]
  }

  private func elements() throws -> [Value] {
    try place.object.requireExisting()
    if let cache, stamp == place.object.realm.stamp { return cache }
    guard case .list(let elements) = try place.value() else { throw place.isGone("list") }
    cache = elements
    stamp = place.object.realm.stamp
    return elements
  }

  /// - Throws: `CoreError` UNSUPPORTED.
  override func watch() throws -> CollectionWatch { throw place.cannotBeObserved }

  // MARK: Writing

  override func set(_ value: flx_value_t, at index: Int) throws {
    try place.requireWrite()
    _ = try element(at: index)
    let model = try place.model(value)
    try change(Instruction.placing(model, at: place(of: index).path(), .priorSize(size()), replacing: false))
  }

  override func insert(_ value: flx_value_t, at index: Int) throws {
    try place.requireWrite()
    try insert(place.model(value), at: index)
  }

  override func insert(_ model: Value, at index: Int) throws {
    try place.requireWrite()
    let count = try count()
    guard index >= 0, index <= count else { throw CoreError.indexOutOfBounds(index, count: count + 1) }
    let path = try place(of: index).path()
    try place.apply(Instruction.inserting(model, at: path, priorSize: UInt32(truncatingIfNeeded: count)))
    // Keep the cache in step, so that the next insertion need not read the list.
    cache?.insert(model, at: index)
    stamp = place.object.realm.stamp
  }

  override func erase(at index: Int) throws {
    try place.requireWrite()
    _ = try element(at: index)
    try change([.arrayErase(place(of: index).path(), priorSize: size())])
  }

  /// Erases and reinserts an element, because protocol §7.3 forbids sending a move in a list that may hold
  /// collections.
  override func move(from: Int, to: Int) throws {
    try place.requireWrite()
    let moved = try element(at: from)
    _ = try element(at: to)
    guard from != to else { return }
    let size = try size()
    try change(
      [.arrayErase(place(of: from).path(), priorSize: size)]
        + Instruction.inserting(moved, at: place(of: to).path(), priorSize: size - 1)
    )
  }

  override func clear() throws {
    try place.requireWrite()
    let count = try elements().count
    guard place.isListElement else { return try change([.clear(place.path(), .list)]) }
    // From the end, so that the index of an element equals the number of elements left.
    let erasures = try (0..<count).reversed().map { index in
      Instruction.arrayErase(try place(of: index).path(), priorSize: UInt32(truncatingIfNeeded: index) + 1)
    }
    try change(erasures)
  }

  override func putCollection(_ collection: Value, at index: Int) throws {
    try place.requireWrite()
    try place(at: index).place(collection, .priorSize(size()))
    cache = nil
  }

  private func size() throws -> UInt32 { UInt32(truncatingIfNeeded: try count()) }

  private func change(_ instructions: [Instruction]) throws {
    cache = nil
    try place.apply(instructions)
  }
}

extension MixedPlace {
  /// Returns the error for a handle whose collection was replaced or removed.
  func isGone(_ kind: String) -> CoreError {
    CoreError(
      .objectInvalidated,
      "The \(kind) in the mixed value of '\(column.path)' was removed."
    )
  }

  /// The error for observing a collection, which has no identity of its own.
  var cannotBeObserved: CoreError {
    CoreError.unsupported(
      "A collection nested in the mixed value of '\(column.path)' cannot be observed. Observe the object instead."
    )
  }
}
