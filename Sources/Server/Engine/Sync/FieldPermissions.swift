// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncStore

/// Sorts out what an upload writes to properties that its user may not write, or may not read. Inside a write.
///
/// SDKs write more than the app has changed: all properties of a new object, and with some update policies of an old
/// one. So what changes nothing is left out, as are the defaults of the app's model in new objects; anything else is
/// refused with the whole object. The same goes for the properties of embedded objects, each by itself.
struct FieldPermissions {
  /// What is left of an upload.
  struct Outcome {
    var instructions: [Instruction]
    var refused: [Integrator.RejectedObject] = []
    /// Properties that the client has with a default that was left out, of objects that are its own.
    var withheld: [(object: ObjectReference, field: String)] = []
    /// The same of objects in which there can be something that the user may not see.
    var withheldFromSeen: [(object: ObjectReference, field: String)] = []
  }

  /// What instructions do to properties that may not be written.
  private struct Changes {
    /// What they write into them.
    var written: Set<String> = []
    /// What is lost with the embedded objects around them.
    var lost: Set<String> = []
  }

  private struct Tried: Error {}

  /// One object of an upload.
  private struct Subject {
    let object: ObjectReference
    let instructions: [Instruction]
    let access: PropertyAccess
    /// Whether the object is there, as far as the user may know.
    let isThere: Bool
    /// Whether what it contains afterwards is the user's own.
    var isNew: Bool { !isThere || instructions.contains(.eraseObject(object)) }
    /// Those that can be tried without telling anything: whether the others can be applied depends on what the user may
    /// not see.
    var trial: [Instruction] {
      if isNew { return Array(instructions[(instructions.lastIndex(of: .eraseObject(object)) ?? 0)...]) }
      return instructions.filter { $0.path.map(access.readable.includes) ?? true }
    }
  }

  let store: ServerStore
  let permissions: Permissions
  let disclosure: Disclosure

  func apply(to instructions: [Instruction]) throws -> Outcome {
    guard instructions.contains(where: isDelicate) else { return Outcome(instructions: instructions) }
    let groups = ObjectGroups(instructions)
    var outcome = Outcome(instructions: [])
    var judged: [ObjectReference: BlindWrites] = [:]
    var refused: Set<ObjectReference> = []
    for object in groups.objects {
      let own = groups.instructions(of: object)
      guard own.contains(where: isDelicate), let permission = permissions[object.table] else { continue }
      // Which fields a change alters would tell what is in an object that may not be seen: it counts as missing.
      let isThere = try disclosure.shows(object)
      // What finds no object is refused by `WriteJudge`.
      guard isThere || own.contains(.createObject(object)) else { continue }
      let access = PropertyAccess(permission: permission)
      let subject = Subject(object: object, instructions: own, access: access, isThere: isThere)
      let blind = BlindWrites(schema: disclosure.schema.schema, permission: permission, isNew: !isThere)
      var trial = blind
      for instruction in own { _ = trial.take(instruction) }
      judged[object] = blind
      let changes = try changes(subject)
      let fields = changes.written.union(changes.lost).union(trial.refused).sorted()
      if fields.isEmpty { continue }
      if changes.lost.isEmpty, trial.refused.isEmpty, fields.allSatisfy({ isDefault($0, in: subject) }) {
        let withheld = Set(fields.map(topLevelName)).sorted().map { (object: object, field: $0) }
        if subject.isNew { outcome.withheld += withheld } else { outcome.withheldFromSeen += withheld }
      } else {
        refused.insert(object)
        outcome.refused.append(
          Integrator.RejectedObject(
            object: object,
            refusal: WriteRefusal(.fields(fields), object, role: permission.role)
          )
        )
      }
    }
    for instruction in instructions {
      guard let object = instruction.object, judged[object] != nil else {
        outcome.instructions.append(instruction)
        continue
      }
      if refused.contains(object) || isForbidden(instruction) { continue }
      outcome.instructions += judged[object]?.take(instruction) ?? []
    }
    return outcome
  }

  private func topLevelName(_ dottedName: String) -> String {
    dottedName.firstIndex(of: ".").map { String(dottedName[..<$0]) } ?? dottedName
  }

  /// Whether it takes more than a look at the object to say that an instruction is allowed. A class without any permission
  /// is refused as a whole, elsewhere.
  private func isDelicate(_ instruction: Instruction) -> Bool {
    guard let path = instruction.path, let permission = permissions[path.object.table] else { return false }
    if permission.writableFields == .all, permission.readableFields == .all { return false }
    let access = PropertyAccess(permission: permission)
    return access.isForbidden(path) || !permission.readableFields.includes(path)
      || access.endangeredPart(by: instruction) != nil
  }

  private func isForbidden(_ instruction: Instruction) -> Bool {
    guard let path = instruction.path, let permission = permissions[path.object.table] else { return false }
    return PropertyAccess(permission: permission).isForbidden(path)
  }

  /// Whether only a default of the app's model is written to a property, as happens when an object is made: in an object
  /// that is there, an embedded one.
  private func isDefault(_ field: String, in subject: Subject) -> Bool {
    guard subject.isNew || field.contains(".") else { return false }
    return subject.instructions.allSatisfy { instruction in
      guard let path = instruction.path, subject.access.forbiddenName(path) == field else { return true }
      guard case .update(_, _, .isDefault(true)) = instruction else { return false }
      return true
    }
  }

  /// Those that the user may not even see count as changed in an object that exists, since the answer would tell what they
  /// contain.
  private func changes(_ subject: Subject) throws -> Changes {
    var changes = Changes()
    let before = subject.isNew ? [:] : try contents(subject)
    let after = try contents(subject, after: subject.trial) ?? before
    changes.written = differences(before, after)
    guard !subject.isNew else { return changes }
    let objects = try store.fullState(of: subject.object).compactMap(\.placeOfNewObject)
    let known = known(subject, objects)
    for (instruction, isKnown) in zip(subject.instructions, known) {
      guard let path = instruction.path, !subject.access.readable.includes(path),
        let name = subject.access.forbiddenName(path)
      else { continue }
      if !(isKnown && instruction.leavesNothing) { changes.written.insert(name) }
    }
    guard subject.instructions.contains(where: { subject.access.endangeredPart(by: $0) != nil }) else {
      return changes
    }
    // What is put back with an embedded object would not be, since it is left out.
    let allowed = subject.trial.filter { !isForbidden($0) }
    changes.lost = differences(before, try contents(subject, after: allowed) ?? before)
    changes.lost.formUnion(destroyedContainers(subject, known, objects))
    return changes
  }

  /// For each instruction whether it is about the inside of an embedded object that the upload has made.
  private func known(_ subject: Subject, _ objects: [PropertyPath]) -> [Bool] {
    var places = NewPlaces(existing: objects)
    return subject.instructions.map { instruction in
      defer { places.take(instruction) }
      return instruction.path.map(places.contains) ?? false
    }
  }

  private func differences(_ before: [String: [Instruction: Int]], _ after: [String: [Instruction: Int]])
    -> Set<String>
  {
    Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
  }

  /// The contents after some instructions, which are taken back; nil if they cannot be applied. Whoever applies what is
  /// left reports that.
  private func contents(_ subject: Subject, after instructions: [Instruction]) throws
    -> [String: [Instruction: Int]]?
  {
    var result: [String: [Instruction: Int]]?
    do {
      try store.database.nested {
        if subject.isNew { try store.objects.apply([.eraseObject(subject.object)]) }
        try store.objects.apply(instructions)
        result = try contents(subject)
        throw Tried()
      }
    } catch is Tried {
    } catch is ApplyError {
    }
    return result
  }

  /// How often each step is among those that make, in a new object, what may not be written; by property. Where embedded
  /// objects are in their lists does not count.
  private func contents(_ subject: Subject) throws -> [String: [Instruction: Int]] {
    var contents: [String: [Instruction: Int]] = [:]
    for instruction in try store.fullState(of: subject.object) {
      guard let path = instruction.path, let name = subject.access.forbiddenName(path),
        subject.isNew || subject.access.readable.includes(path)
      else { continue }
      contents[name, default: [:]][subject.access.placeless(instruction), default: 0] += 1
    }
    return contents
  }

  /// Places whose embedded objects are taken away although the user can neither see nor write all that is in them. Whether
  /// that is anything is not to be told, but which objects there are the user can see.
  private func destroyedContainers(_ subject: Subject, _ known: [Bool], _ objects: [PropertyPath]) -> [String]
  {
    zip(subject.instructions, known).compactMap { instruction, isKnown in
      guard !isKnown, let part = subject.access.endangeredPart(by: instruction), part != .all,
        let place = instruction.path
      else { return nil }
      let isNewEntry = instruction.placeOfNewObject != nil && !objects.contains(place)
      let isThere = !isNewEntry && (!place.path.isEmpty || objects.contains { $0.isAt(orInside: place) })
      return isThere ? place.dottedName : nil
    }
  }
}

extension Instruction {
  /// Whether a place that is new is as it was afterwards.
  fileprivate var leavesNothing: Bool {
    switch self {
    case .update(_, .value(.null), _), .clear: true
    default: false
    }
  }

  /// The place in which it makes an embedded object.
  fileprivate var placeOfNewObject: PropertyPath? {
    switch self {
    case .update(let path, .object, _), .arrayInsert(let path, .object, _): path
    default: nil
    }
  }
}
