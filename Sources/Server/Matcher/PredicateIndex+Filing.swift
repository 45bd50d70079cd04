// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Selection of the access paths to a predicate.
extension PredicateIndex {
  /// The size from which a bucket is re-examined each time it has doubled.
  private static let crowdedCount = 64

  /// Files a predicate under the cheapest access path of each of its alternatives, or among the residual predicates.
  ///
  /// - Returns: The predicate if it was added to a bucket that has become crowded; otherwise nil.
  mutating func file(_ number: UInt32) -> UInt32? {
    guard let forms = cheapestForms(number) else {
      entries[Int(number)].residualPosition = residual.insert(number, program: entries[Int(number)].program)
      return nil
    }
    var first = Posting.none
    var crowd = 0
    let own = ownRange(number)
    for form in forms {
      crowd = max(
        crowd,
        access.insert(number, under: form, constants.values, own: own, before: &first)
      )
    }
    entries[Int(number)].firstPosting = first
    let isCrowded = crowd >= PredicateIndex.crowdedCount && crowd & (crowd - 1) == 0
    return isCrowded ? number : nil
  }

  /// Returns the cheapest access path of each alternative; nil if an alternative has none.
  private func cheapestForms(_ number: UInt32) -> [AccessForm]? {
    guard let alternatives = programs[entries[Int(number)].program].alternatives else { return nil }
    let own = ownConstants(number)
    var chosen: [AccessForm] = []
    chosen.reserveCapacity(alternatives.count)
    for forms in alternatives {
      var best: (form: AccessForm, cost: Int)?
      for form in forms {
        guard let cost = access.cost(of: form, own), cost < best?.cost ?? .max else { continue }
        best = (form, cost)
      }
      guard let best else { return nil }
      chosen.append(best.form)
    }
    return chosen
  }

  mutating func unfile(_ number: UInt32) {
    let entry = entries[Int(number)]
    access.remove(from: entry.firstPosting, constants.values)
    entries[Int(number)].firstPosting = Posting.none
    guard entry.residualPosition != Posting.none else { return }
    entries[Int(number)].residualPosition = Posting.none
    guard let moved = residual.remove(at: entry.residualPosition, program: entry.program) else { return }
    entries[Int(moved)].residualPosition = entry.residualPosition
  }

  /// Refiles all predicates in the crowded buckets of a predicate: since they were added, another access path may
  /// have become cheaper for some of them.
  mutating func disperse(_ number: UInt32) {
    for member in access.companions(of: entries[Int(number)].firstPosting) {
      unfile(member)
      _ = file(member)
    }
  }
}

extension AccessIndex {
  /// Returns the predicates that share a bucket with the given one, including itself.
  fileprivate func companions(of first: UInt32) -> Set<UInt32> {
    var members: Set<UInt32> = []
    var next = first
    while next != Posting.none {
      let posting = pool[next]
      if !posting.isBound { points.forEach(posting.key, pool) { members.insert($0) } }
      next = posting.sibling
    }
    return members
  }
}
