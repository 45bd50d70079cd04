// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncStore

/// Rewrites uploads that remove null from a typed set into a form that every client can apply.
///
/// Realm clients write SetErase for this, but reject that instruction when they receive it. Instead, the entire set
/// is rewritten, as FlexSync clients do.
struct NullErasures {
  let store: ServerStore

  /// Returns the instructions without such erasures. Tries them on the state, which stays unchanged.
  func rewritten(_ instructions: [Instruction]) throws -> [Instruction] {
    guard instructions.contains(where: erasesNull) else { return instructions }
    var result: [Instruction] = []
    try store.trying { result = try instructions.flatMap(tried) }
    return result
  }

  /// Applies an instruction or its replacement. Leaves an instruction that cannot be applied as it is; the error is
  /// reported when the upload is applied.
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
