// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncStore

/// Uploads that take null out of a typed set, in a form that every client can apply.
///
/// Realm clients write SetErase for it, but refuse that instruction when it comes to them. The set is written anew instead,
/// as FlexSync clients do it.
struct NullErasures {
  private struct Tried: Error {}

  let store: ServerStore

  /// The instructions without such erasures. They are tried for it on the state, which stays as it is.
  func rewritten(_ instructions: [Instruction]) throws -> [Instruction] {
    guard instructions.contains(where: erasesNull) else { return instructions }
    var result: [Instruction] = []
    do {
      try store.database.nested {
        for instruction in instructions { result += try tried(instruction) }
        throw Tried()
      }
    } catch is Tried {}
    return result
  }

  /// Applies an instruction, or what is to replace it. One that cannot be applied is left to whoever reports it.
  private func tried(_ instruction: Instruction) throws -> [Instruction] {
    do {
      let replacement = try replacement(of: instruction)
      try store.objects.apply(replacement)
      return replacement
    } catch is ApplyError {
      return [instruction]
    }
  }

  private func replacement(of instruction: Instruction) throws -> [Instruction] {
    guard erasesNull(instruction), case .setErase(let path, _) = instruction,
      let elements = try store.objects.typedSet(at: path)
    else { return [instruction] }
    let kept = elements.filter { $0 != .null }
    return [.clear(path, .set)] + kept.map { .setInsert(path, .value($0)) }
  }

  private func erasesNull(_ instruction: Instruction) -> Bool {
    guard case .setErase(_, .value(.null)) = instruction else { return false }
    return true
  }
}
