// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Owns a reference of the C interface, which any thread may resolve.
final class ReferenceHandle: Sendable {
  nonisolated(unsafe) private let pointer: OpaquePointer
  /// Makes the value of the results to which the reference leads; nil if it needs nothing else.
  let derivation: (any Sendable)?

  private init(_ derivation: (any Sendable)? = nil, _ make: HandleMaker) {
    pointer = makeHandleOrTrap(make)
    self.derivation = derivation
  }

  convenience init(to object: _ManagedObject) {
    self.init { flx_object_make_reference(object.pointer, &$0, $1) }
  }

  convenience init(to results: ResultsBox, derivation: (any Sendable)? = nil) {
    self.init(derivation) { flx_results_make_reference(results.pointer, &$0, $1) }
  }

  convenience init(to collection: ManagedCollection) {
    self.init { reference, error in
      switch collection.kind {
      case .list: flx_list_make_reference(collection.pointer, &reference, error)
      case .set: flx_set_make_reference(collection.pointer, &reference, error)
      case .dictionary: flx_dictionary_make_reference(collection.pointer, &reference, error)
      }
    }
  }

  deinit { flx_reference_release(pointer) }

  /// Returns a new handle of the object; nil if it was deleted.
  func object(in realm: _RealmHandle) -> OpaquePointer? {
    resolve(in: realm) { flx_realm_resolve_object(realm.pointer, pointer, &$0, $1) }
  }

  /// Returns the results; nil if they are those of an object that was deleted.
  func results(in realm: _RealmHandle) -> ResultsBox? {
    resolve(in: realm) { flx_realm_resolve_results(realm.pointer, pointer, &$0, $1) }.map(ResultsBox.init)
  }

  /// Returns the collection; nil if its object was deleted.
  func collection(_ kind: CollectionKind, in realm: _RealmHandle) -> ManagedCollection? {
    let found = resolve(in: realm) { collection, error in
      switch kind {
      case .list: flx_realm_resolve_list(realm.pointer, pointer, &collection, error)
      case .set: flx_realm_resolve_set(realm.pointer, pointer, &collection, error)
      case .dictionary: flx_realm_resolve_dictionary(realm.pointer, pointer, &collection, error)
      }
    }
    return found.map { ManagedCollection(kind: kind, pointer: $0, realm: realm) }
  }

  private func resolve(in realm: _RealmHandle, _ function: HandleMaker) -> OpaquePointer? {
    realm.live.prepareForChange()
    var found: OpaquePointer?
    trapOnFailure { function(&found, $0) }
    return found
  }
}
