// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The list or dictionary at a place of type mixed: whatever collection is there now, read when it is needed.
final class NestedCollection {
  let place: MixedPlace
  private let kind: CollectionKind
  private var cache: Value?
  /// The realm's stamp at which the cache is valid.
  private var stamp: UInt64 = 0

  init(_ place: MixedPlace, _ kind: CollectionKind) {
    self.place = place
    self.kind = kind
  }

  /// - Throws: `CoreError` OBJECT_INVALIDATED also if there is no list any more.
  func elements() throws -> [Value] {
    guard case .list(let elements) = try current() else { throw isGone }
    return elements
  }

  /// - Throws: `CoreError` OBJECT_INVALIDATED also if there is no dictionary any more.
  func entries() throws -> [DictionaryEntry] {
    guard case .dictionary(let entries) = try current() else { throw isGone }
    return entries
  }

  /// Runs `body` if the collection is still there.
  func ifThere<Result>(_ body: (NestedCollection) throws -> Result) throws -> Result? {
    guard try place.value()?.collectionKind == kind else { return nil }
    return try body(self)
  }

  private func current() throws -> Value {
    try place.object.requireExisting()
    if let cache, stamp == place.object.realm.stamp { return cache }
    guard let value = try place.value(), value.collectionKind == kind else { throw isGone }
    cache = value
    stamp = place.object.realm.stamp
    return value
  }

  /// Forgets what was read.
  func reset() { cache = nil }

  /// Keeps what was read in step with an insertion, so that the next one need not read the list again.
  func noteInserted(_ value: Value, at index: Int) {
    guard case .list(var elements)? = cache else { return }
    cache = nil
    elements.insert(value, at: index)
    cache = .list(elements)
    stamp = place.object.realm.stamp
  }

  private var isGone: CoreError {
    CoreError(.objectInvalidated, "The \(kind) in the mixed value of '\(place.column.path)' was removed.")
  }

  /// The error for a reference to a collection, which has no identity of its own.
  var cannotBeReferredTo: CoreError {
    CoreError.unsupported(
      "A collection nested in the mixed value of '\(place.column.path)' cannot be referred to from another thread. "
        + "Use its object instead."
    )
  }
}
