// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension PredicateIndex {
  /// Whether an object met a predicate before and after a change.
  public struct Match: Hashable, Sendable {
    public let before: Bool
    public let after: Bool

    public init(before: Bool, after: Bool) {
      self.before = before
      self.after = after
    }
  }

  /// Calls `body` once for each predicate that the object met before the change or meets after it, in no particular
  /// order.
  ///
  /// - Parameters:
  ///   - before: The object before the change, with its fields in the order of `slots`; nil if it did not exist.
  ///   - after: The object after the change; nil if it no longer exists.
  public mutating func forEachMatch(
    before: SlotImage?,
    after: SlotImage?,
    _ body: (PredicateID, Match) -> Void
  ) {
    let changed = collectCandidates(before, after)
    let change = Change(before: before, after: after, changed: changed)
    if !candidates.isEmpty {
      beginSearch()
      for number in candidates where entries[Int(number)].search != search {
        entries[Int(number)].search = search
        report(number, change, body)
      }
      candidates.removeAll(keepingCapacity: true)
    }
    if !residual.isEmpty { reportResidual(change, body) }
  }

  /// Collects the candidate predicates found from either image.
  ///
  /// - Returns: The slots that differ; nil if there is only one image.
  private mutating func collectCandidates(_ before: SlotImage?, _ after: SlotImage?) -> UInt64? {
    guard let before, let after else {
      if let image = before ?? after {
        for slot in access.usedSlots { collect(slot, image) }
      }
      return nil
    }
    var changed: UInt64 = 0
    for slot in slotList.indices where !before.isEqual(to: after, at: slot, slotList[slot].collection) {
      changed |= SlotMask.bit(slot)
    }
    for slot in access.usedSlots {
      collect(slot, after)
      if changed & SlotMask.bit(slot) != 0 { collect(slot, before) }
    }
    return changed
  }

  private mutating func collect(_ slot: Int, _ image: SlotImage) {
    if slotList[slot].collection == .single {
      return access.collect(image.value(at: slot), slot: slot, constants.values, into: &candidates)
    }
    for element in image.elements(at: slot) {
      access.collect(element, slot: slot, constants.values, into: &candidates)
    }
  }

  private mutating func beginSearch() {
    search &+= 1
    guard search == 0 else { return }
    for index in entries.indices { entries[index].search = 0 }
    search = 1
  }

  private func report(_ number: UInt32, _ change: Change, _ body: (PredicateID, Match) -> Void) {
    let entry = entries[Int(number)]
    constants.values.withUnsafeBufferPointer { constants in
      let program = programs[entry.program]
      let first = Int(entry.firstConstant)
      let own = Constants(rebasing: constants[first..<first + program.constantCount])
      let match = change.match(program.slotMask) { program.matches($0, own, slots: slotList) }
      if let match { body(PredicateID(number), match) }
    }
  }
}

/// An object before and after a change.
struct Change {
  let before: SlotImage?
  let after: SlotImage?
  /// The slots that differ; nil if there is only one image.
  let changed: UInt64?

  /// Evaluates a condition for both images; returns nil if neither meets it.
  ///
  /// - Parameter slots: The slots that the outcome depends on. If none of them changed, the condition is evaluated
  ///   once.
  @inline(__always)
  func match(_ slots: UInt64, _ meets: (SlotImage) -> Bool) -> PredicateIndex.Match? {
    let wasMet = before.map(meets) ?? false
    let isUnchanged = changed.map { $0 & slots == 0 } ?? false
    let isMet = isUnchanged ? wasMet : after.map(meets) ?? false
    return wasMet || isMet ? PredicateIndex.Match(before: wasMet, after: isMet) : nil
  }
}

extension SlotImage {
  fileprivate func isEqual(to other: SlotImage, at slot: Int, _ collection: CollectionKind) -> Bool {
    switch collection {
    // The image of an embedded point stores elements instead of a value.
    case .single: value(at: slot) == other.value(at: slot) && elements(at: slot) == other.elements(at: slot)
    case .list, .set: elements(at: slot) == other.elements(at: slot)
    case .dictionary: entries(at: slot) == other.entries(at: slot)
    }
  }
}
