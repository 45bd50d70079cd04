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

  init(_ results: ResultsBox, on handle: _RealmHandle) {
    self.results = results
    if handle.isInWrite { freeze() } else { handle.addLoop(self) }
  }

  deinit { remaining?.forEach { flx_object_release($0) } }

  /// Returns a handle of the next object, which the caller releases.
  func next() -> OpaquePointer? {
    guard remaining == nil else { return remaining?.popLast() }
    guard position < countedOnce() else { return nil }
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
