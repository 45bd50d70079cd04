// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Writes to a property of an object that a user might see before and may see now, but not in between.
///
/// What was overwritten must not be told. Where nothing was, the authors' instructions are told as they are: they go
/// together with what the device has written offline, while to empty a collection and to fill it would take that.
struct UnseenWrites: Equatable {
  /// More values than these are not compared.
  private static let greatestValueCount = 4096

  /// The versions of the first unseen write, and of the last of all.
  let first: UInt64
  private(set) var last: UInt64
  /// The values and keys that the unseen writes name; nil if they cannot be compared.
  private var names: Set<Payload>? = []
  /// The sum if all were increments.
  private(set) var sum: Int64? = 0
  /// Whether all may be told as they are. Once something was kept back, so is what comes after it.
  private(set) var isTold = true

  init(first: UInt64) {
    self.first = first
    last = first
  }

  mutating func note(_ instruction: Instruction, isSeen: Bool, version: UInt64) {
    last = version
    if case .addInteger(let path, let delta) = instruction, path.path.isEmpty {
      sum = sum.map { $0 &+ delta }
      if !isSeen { names = nil }
      return
    }
    sum = nil
    guard !isSeen else { return }
    names?.formUnion(instruction.names)
    if case .addInteger = instruction { names = nil }
    if names?.count ?? 0 > UnseenWrites.greatestValueCount { names = nil }
  }

  /// Looks whether everything that the unseen writes name is in the property.
  ///
  /// - Parameter instructions: those that make the property as it is now.
  mutating func compare(with instructions: [Instruction]) {
    isTold = isTold && names?.isSubset(of: instructions.flatMap(\.names)) ?? false
  }

  /// Whether something else takes the place of what a version wrote.
  func replaces(_ version: UInt64) -> Bool { !isTold && version >= first }
}

extension Instruction {
  /// The values that the instruction writes or takes away, and the keys in its path.
  fileprivate var names: [Payload] {
    let keys = (path?.path ?? []).compactMap { element -> Payload? in
      guard case .name(let name) = element else { return nil }
      return .value(.string(name))
    }
    return switch self {
    case .update(_, let payload, _), .arrayInsert(_, let payload, _), .setInsert(_, let payload),
      .setErase(_, let payload):
      payload.isValue ? keys + [payload] : keys
    default: keys
    }
  }
}

extension Payload {
  fileprivate var isValue: Bool {
    switch self {
    case .value, .globalKey: true
    default: false
    }
  }
}
