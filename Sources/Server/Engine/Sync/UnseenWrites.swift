// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Writes to a property of an object that a user might see before and may see now, but not in between.
///
/// What was overwritten must not be told. Where nothing was, the authors' instructions are told as they are: they go
/// together with what the device has written offline, while to empty a collection and to fill it would take that.
struct UnseenWrites: Equatable {
  /// Of more writes than these to a property nothing is told but what is left of them.
  private static let greatestCount = 256

  /// The versions of the first unseen write, and of the last of all.
  let first: UInt64
  private(set) var last: UInt64
  /// The traces of the unseen writes; nil if there is one of which nobody can say whether it was overwritten.
  private var traces: Set<Int>? = []
  /// The sum if all were increments.
  private(set) var sum: Int64? = 0
  /// Whether all may be told as they are. Once something was kept back, so is what comes after it.
  private(set) var isTold = true
  /// Whether that is known of all writes so far.
  private(set) var isCompared = false

  init(first: UInt64) {
    self.first = first
    last = first
  }

  mutating func note(_ instruction: Instruction, isSeen: Bool, version: UInt64) {
    last = version
    isCompared = false
    if case .addInteger(let path, let delta) = instruction, path.path.isEmpty {
      sum = sum.map { $0 &+ delta }
      if !isSeen { traces = nil }
      return
    }
    sum = nil
    guard !isSeen else { return }
    // What is erased was seen, as long as nothing else was written unseen.
    if case .arrayErase(let path, _) = instruction, path.path.count == 1, traces?.isEmpty == true { return }
    guard let trace = instruction.trace, traces?.insert(trace).inserted == true,
      traces?.count ?? 0 <= UnseenWrites.greatestCount
    else {
      traces = nil
      return
    }
  }

  /// Looks whether everything that was written unseen is in the property.
  ///
  /// - Parameter instructions: those that make the property as it is now.
  mutating func compare(with instructions: [Instruction]) {
    isCompared = true
    // With the first of several the property is emptied, which leaves nothing.
    let contents = instructions.count > 1 ? instructions.dropFirst() : instructions[...]
    isTold = isTold && traces?.isSubset(of: contents.compactMap(\.trace)) ?? false
  }

  /// Whether something else takes the place of what a version wrote.
  func replaces(_ version: UInt64) -> Bool { !isTold && version >= first }
}

extension Instruction {
  /// What a property shows of the instruction as long as nothing has overwritten it: a value and its place, without the
  /// positions in a list, which others change; nil if that cannot be told.
  fileprivate var trace: Int? {
    let (place, value): ([PathElement], Payload)
    switch self {
    case .update(let path, let payload, _), .setInsert(let path, let payload):
      (place, value) = (path.path, payload)
    case .arrayInsert(let path, let payload, _) where path.path.count == 1: (place, value) = ([], payload)
    default: return nil
    }
    for case .index in place { return nil }
    var hasher = Hasher()
    hasher.combine(place)
    hasher.combine(value)
    return hasher.finalize()
  }
}
