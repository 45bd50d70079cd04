// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The choice of the ways on which a predicate is reached.
extension PredicateIndex {
  /// A bucket is looked through again whenever its size has doubled, from this size on.
  private static let crowdedCount = 64

  /// Files a predicate under the cheapest form of each of its alternatives, or among the residual ones.
  ///
  /// - Returns: the predicate if it came into a bucket that has become crowded.
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

  /// For each alternative the way that leads past the fewest others; nil if one alternative has no way.
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

  /// Files again all predicates of the crowded buckets that a predicate is in: for some of them another way may have
  /// become better since they were added.
  mutating func disperse(_ number: UInt32) {
    for member in access.companions(of: entries[Int(number)].firstPosting) {
      unfile(member)
      _ = file(member)
    }
  }
}

extension AccessIndex {
  /// The predicates that share a bucket with one, this one included.
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
