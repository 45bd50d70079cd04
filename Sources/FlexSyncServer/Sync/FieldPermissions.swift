// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStorage

/// Sorts out what an upload writes to properties that its user may not write. Inside a write.
///
/// SDKs write more than the app has changed: all properties of a new object, and with some update policies of an old
/// one. So what changes nothing is left out, as are the defaults of the app's model in new objects; anything else is
/// refused with the whole object.
struct FieldPermissions {
  /// What is left of an upload.
  struct Outcome {
    var instructions: [Instruction]
    var refused: [Integrator.RejectedObject] = []
    /// Properties that the client has with a default that was left out.
    var withheld: [(object: ObjectReference, field: String)] = []
  }

  private struct Tried: Error {}

  let store: ServerStore
  let permissions: Permissions
  let disclosure: Disclosure

  func apply(to instructions: [Instruction]) throws -> Outcome {
    guard instructions.contains(where: isForbidden) else { return Outcome(instructions: instructions) }
    let groups = ObjectGroups(instructions)
    var outcome = Outcome(instructions: [])
    var kept: [ObjectReference: Bool] = [:]
    for object in groups.objects {
      let own = groups.instructions(of: object)
      guard own.contains(where: isForbidden) else { continue }
      // Which fields a change alters would tell what is in an object that may not be seen: it counts as missing.
      let isThere = try disclosure.shows(object)
      // What finds no object is refused by `WriteJudge`.
      guard isThere || own.contains(.createObject(object)) else { continue }
      let isNew = !isThere || own.contains(.eraseObject(object))
      let fields = try changedFields(own, of: object, isThere: isThere, isNew: isNew)
      if fields.isEmpty {
        kept[object] = true
      } else if fields.allSatisfy({ isDefault($0, in: own) }), isNew {
        kept[object] = true
        outcome.withheld += fields.map { (object: object, field: $0) }
      } else {
        kept[object] = false
        let role = permissions[object.table]?.role
        outcome.refused.append(
          Integrator.RejectedObject(
            object: object,
            refusal: WriteRefusal(.fields(fields), object, role: role)
          )
        )
      }
    }
    outcome.instructions = instructions.filter { instruction in
      guard let isKept = instruction.object.flatMap({ kept[$0] }) else { return true }
      return isKept && !isForbidden(instruction)
    }
    return outcome
  }

  /// A class without any permission is refused as a whole, elsewhere.
  private func isForbidden(_ instruction: Instruction) -> Bool {
    guard let path = instruction.path, let permission = permissions[path.object.table] else { return false }
    return permission.writableFields != .all && !permission.writableFields.includes(path.field)
  }

  private func isDefault(_ field: String, in instructions: [Instruction]) -> Bool {
    instructions.allSatisfy { instruction in
      guard instruction.path?.field == field else { return true }
      guard case .update(_, _, .isDefault(true)) = instruction else { return false }
      return true
    }
  }

  /// The properties, among those that may not be written, which the instructions change. Those that the user may not
  /// even see count as changed in an object that exists, since the answer would tell what they contain.
  private func changedFields(
    _ instructions: [Instruction],
    of object: ObjectReference,
    isThere: Bool,
    isNew: Bool
  ) throws -> [String] {
    let fields = Set(instructions.filter(isForbidden).compactMap { $0.path?.field })
    let hidden = fields.filter { field in
      !isNew && permissions[object.table]?.readableFields.includes(field) == false
    }
    let before = isNew ? [:] : try contents(of: object, fields)
    var after = before
    do {
      try store.database.nested {
        if !isThere { try store.objects.apply([.eraseObject(object)]) }
        try store.objects.apply(instructions)
        after = try contents(of: object, fields)
        throw Tried()
      }
    } catch is Tried {
    } catch is ApplyError {
      // Whoever applies what is left reports it.
    }
    return fields.filter { hidden.contains($0) || before[$0] != after[$0] }.sorted()
  }

  /// What makes the properties in a new object; nothing for those that are as in a new object.
  private func contents(of object: ObjectReference, _ fields: Set<String>) throws -> [String: [Instruction]] {
    var contents: [String: [Instruction]] = [:]
    for instruction in try store.fullState(of: object) {
      guard let field = instruction.path?.field, fields.contains(field) else { continue }
      contents[field, default: []].append(instruction)
    }
    return contents
  }
}
