// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Writes to a property of an object that the user was allowed to see before and may see now, but was not allowed to
/// see in between.
///
/// Values that were overwritten must not be sent. Where none were, the authors' instructions are sent as they are:
/// they combine with what the device has written offline, whereas emptying and refilling a collection would destroy
/// that.
struct UnseenWrites: Equatable {
  /// The maximum number of writes to a property that are tracked. If there are more, the current contents are sent in
  /// their place.
  private static let greatestCount = 256

  /// The version of the first unseen write, and that of the last write of any kind.
  let first: UInt64
  private(set) var last: UInt64
  /// The traces of the unseen writes; nil if for one of them it cannot be determined whether it was overwritten.
  private var traces: Set<Int>? = []
  /// The sum of all writes, if all were increments.
  private(set) var sum: Int64? = 0
  /// Whether all writes may be sent as they are. Once a write has been withheld, so are those that follow.
  private(set) var isTold = true
  /// Whether `isTold` accounts for all writes so far.
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
    // The user had seen the erased element, provided that nothing else was written unseen.
    if case .arrayErase(let path, _) = instruction, path.path.count == 1, traces?.isEmpty == true { return }
    guard let trace = instruction.trace, traces?.insert(trace).inserted == true,
      traces?.count ?? 0 <= UnseenWrites.greatestCount
    else {
      traces = nil
      return
    }
  }

  /// Checks whether everything that was written unseen is still in the property.
  ///
  /// - Parameter instructions: the instructions that create the current contents of the property.
  mutating func compare(with instructions: [Instruction]) {
    isCompared = true
    // If there are several, the first one empties the property, which leaves no trace.
    let contents = instructions.count > 1 ? instructions.dropFirst() : instructions[...]
    isTold = isTold && traces?.isSubset(of: contents.compactMap(\.trace)) ?? false
  }

  /// Whether something else is sent in place of the write of a version.
  func replaces(_ version: UInt64) -> Bool { !isTold && version >= first }
}

extension Instruction {
  /// The trace that the instruction leaves in a property until it is overwritten: a value and its place, without
  /// positions in a list, which other instructions change; nil if it cannot be determined.
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
