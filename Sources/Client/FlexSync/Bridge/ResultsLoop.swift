// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A loop over results, which reads them live until the realm begins to change.
@usableFromInline
final class ResultsLoop {
  // Nothing else accesses the variables while they change, and checking that at run time would cost as much as reading an
  // object.
  private let results: ResultsBox
  private let realm: _RealmHandle
  private let binding: _ClassBinding
  @exclusivity(unchecked) private var position = 0
  /// Handles of the remaining objects, in reverse; nil while the results are read live.
  @exclusivity(unchecked) private var remaining: [OpaquePointer]?
  /// The object returned last.
  @exclusivity(unchecked) private var spare: _ManagedObject?

  init(_ results: ResultsBox, _ realm: _RealmHandle, _ binding: _ClassBinding) {
    self.results = results
    self.realm = realm
    self.binding = binding
    if realm.isInWrite { freeze() } else { realm.live.addLoop(self) }
  }

  deinit { remaining?.forEach { flx_object_release($0) } }

  @usableFromInline
  func next() -> _ManagedObject? {
    // A body that keeps no object gets the same one each time: creating it would cost as much as reading it.
    if isKnownUniquelyReferenced(&spare), let spare {
      if spare.become(take) { return spare }
    } else if let pointer = take() {
      let object = _ManagedObject(takingOver: pointer, realm, binding)
      spare = object
      return object
    }
    spare = nil
    return nil
  }

  /// Returns a handle of the next object; nil at the end.
  private func take() -> OpaquePointer? {
    guard remaining == nil else { return remaining?.popLast() }
    // The objects are not counted first, because finding them may be most of the work.
    let object = results.objectIfAny(at: position)
    if object != nil { position += 1 }
    return object
  }

  /// Makes the loop continue over the present contents of the results.
  func freeze() {
    guard remaining == nil else { return }
    remaining = (position..<max(position, results.count)).reversed().map { results.object(at: $0) }
  }
}
