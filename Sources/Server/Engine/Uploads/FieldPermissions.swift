// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncStore

/// Filters an upload's writes to properties that its user may not write or may not read. Must be used inside a write.
///
/// SDKs write more than the app has changed: all properties of a new object and, with some update policies, of an
/// existing one. So writes that change nothing are left out, as are the defaults of the app's model in new objects.
/// Any other such write causes the entire object to be refused. The same applies to the properties of embedded
/// objects, each separately.
struct FieldPermissions {
  /// The rest of an upload after filtering.
  struct Outcome {
    var instructions: [Instruction]
    var refused: [WriteRefusal] = []
    /// Properties for which a default written by the client was left out, in objects whose contents are the client's
    /// own.
    var withheld: [(object: ObjectReference, field: String)] = []
    /// Such properties in objects that can contain something that the user may not see.
    var withheldFromSeen: [(object: ObjectReference, field: String)] = []
  }

  /// The effects of instructions on properties that may not be written.
  private struct Changes {
    /// The properties that are written.
    var written: Set<String> = []
    /// The properties that are lost together with the embedded objects around them.
    var lost: Set<String> = []
  }

  /// One object of an upload.
  private struct Subject {
    let object: ObjectReference
    let instructions: [Instruction]
    let access: PropertyAccess
    /// Whether the object exists and the user may know of it.
    let isThere: Bool
    /// Whether the contents of the object after the upload are the user's own.
    var isNew: Bool { !isThere || instructions.contains(.eraseObject(object)) }
    /// The instructions that can be tried without revealing anything. Whether the others can be applied depends on
    /// what the user may not see.
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
      // The fields that a change alters would reveal the contents of an object that the user may not see. So it
      // counts as missing.
      let isThere = try disclosure.shows(object)
      // `WriteJudge` refuses writes that find no object.
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
        outcome.refused.append(WriteRefusal(.fields(fields), object, role: permission.role))
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

  /// Whether the object must be examined to decide whether an instruction is allowed. A class without any permission
  /// is refused as a whole elsewhere.
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

  /// Whether the upload writes only a default of the app's model to a property, as happens when an object is created.
  /// In an existing object, this is the case only for properties of embedded objects.
  private func isDefault(_ field: String, in subject: Subject) -> Bool {
    guard subject.isNew || field.contains(".") else { return false }
    return subject.instructions.allSatisfy { instruction in
      guard let path = instruction.path, subject.access.forbiddenName(path) == field else { return true }
      guard case .update(_, _, .isDefault(true)) = instruction else { return false }
      return true
    }
  }

  /// Returns the changes to properties that may not be written. In an existing object, properties that the user may
  /// not even see count as changed, because the answer would otherwise reveal their contents.
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
    // Values that the upload restores together with an embedded object would be lost, because these writes are left
    // out.
    let allowed = subject.trial.filter { !isForbidden($0) }
    changes.lost = differences(before, try contents(subject, after: allowed) ?? before)
    changes.lost.formUnion(destroyedContainers(subject, known, objects))
    return changes
  }

  /// Returns, for each instruction, whether it writes inside an embedded object that the upload has created.
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

  private struct TakenBack: Error {}

  /// Returns the contents after some instructions, which are then rolled back; nil if they cannot be applied. That
  /// error is reported when the rest of the upload is applied.
  private func contents(_ subject: Subject, after instructions: [Instruction]) throws
    -> [String: [Instruction: Int]]?
  {
    var result: [String: [Instruction: Int]]?
    do {
      try store.database.nested {
        if subject.isNew { try store.objects.apply([.eraseObject(subject.object)]) }
        try store.objects.apply(instructions)
        result = try contents(subject)
        throw TakenBack()
      }
    } catch is ApplyError {} catch is TakenBack {}
    return result
  }

  /// Returns the contents that may not be written, by property, as the instructions that would create them in a new
  /// object, each with its number of occurrences. The positions of embedded objects in their lists do not count.
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

  /// Returns the places from which embedded objects are removed although the user can neither see nor write all of
  /// their contents. Whether these contents exist must not be revealed, but the user can see which objects there are.
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
  /// Whether the instruction leaves a new place as it was.
  fileprivate var leavesNothing: Bool {
    switch self {
    case .update(_, .value(.null), _), .clear: true
    default: false
    }
  }

  /// The place where the instruction creates an embedded object.
  fileprivate var placeOfNewObject: PropertyPath? {
    switch self {
    case .update(let path, .object, _), .arrayInsert(let path, .object, _): path
    default: nil
    }
  }
}
