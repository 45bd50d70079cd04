// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A loop over results, which reads them live until the realm begins to change.
final class ResultsLoop {
  private let results: ResultsBox
  private var position = 0
  /// The number of results, which does not change before the loop is frozen; nil until it is needed.
  private var liveCount: Int?
  /// Handles of the remaining objects, in reverse; nil while the results are read live.
  private var remaining: [OpaquePointer]?
  /// The object returned last.
  private var spare: _ManagedObject?

  init(_ results: ResultsBox, on handle: _RealmHandle) {
    self.results = results
    if handle.isInWrite { freeze() } else { handle.live.addLoop(self) }
  }

  deinit { remaining?.forEach { flx_object_release($0) } }

  /// Returns the next object, which is a row of `handle`.
  func next(_ handle: _RealmHandle, _ binding: _ClassBinding) -> _ManagedObject? {
    guard hasNext else {
      spare = nil
      return nil
    }
    // A body that keeps no object gets the same one each time: creating it would cost as much as reading it.
    if isKnownUniquelyReferenced(&spare), let spare {
      spare.become(take)
      return spare
    }
    let object = _ManagedObject(takingOver: take(), handle, binding)
    spare = object
    return object
  }

  private var hasNext: Bool { remaining.map { !$0.isEmpty } ?? (position < countedOnce()) }

  /// Returns a handle of the next object, of which there is one.
  private func take() -> OpaquePointer {
    if let frozen = remaining?.popLast() { return frozen }
    defer { position += 1 }
    return results.object(at: position)
  }

  private func countedOnce() -> Int {
    if let liveCount { return liveCount }
    let count = results.count
    liveCount = count
    return count
  }

  /// Makes the loop continue over the present contents of the results.
  func freeze() {
    guard remaining == nil else { return }
    remaining = (position..<max(position, results.count)).reversed().map { results.object(at: $0) }
  }
}
