// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncRules

/// Judges what users write to properties that they may write and not read.
///
/// Whether an instruction can be applied that builds on what is there, such as one that adds to a list, would tell what is
/// there. So such a property is only written as a whole; in a new object, and after it was written as a whole, anything
/// goes.
struct BlindWrites {
  let schema: Schema
  let permission: ClassPermission
  /// Whether the user knows the object as it is, because it is new.
  private var isNew: Bool
  /// The places of which the user knows what is there.
  private var known: Set<PropertyPath> = []
  /// The properties that were written otherwise than as a whole.
  private(set) var refused: Set<String> = []

  init(schema: Schema, permission: ClassPermission, isNew: Bool) {
    self.schema = schema
    self.permission = permission
    self.isNew = isNew
  }

  /// Takes the next instruction on the object.
  ///
  /// - Returns: what is to be done in its place. An embedded object takes the place of the one that is there, of which the
  ///   client does not know.
  mutating func take(_ instruction: Instruction) -> [Instruction] {
    if case .eraseObject = instruction { isNew = true }
    guard !isNew, let path = instruction.path else { return [instruction] }
    guard let place = place(path) else {
      noteVisible(instruction, path)
      return [instruction]
    }
    if known.contains(where: path.isAt(orInside:)) { return [instruction] }
    guard let property = property(at: place) else { return refuse(instruction, place) }
    return path == place ? whole(instruction, place, property) : entry(instruction, place, property)
  }

  /// The property that may be written and not read, if a path leads into one.
  private func place(_ path: PropertyPath) -> PropertyPath? {
    guard case .outside(let place) = permission.readableFields.reach(path),
      permission.writableFields.includes(path)
    else { return nil }
    return place
  }

  /// What is in a place that is emptied is known, and so is a new element of a list.
  private mutating func noteVisible(_ instruction: Instruction, _ path: PropertyPath) {
    if known.contains(where: path.isAt(orInside:)) { return }
    switch instruction {
    case .update(_, .value, _), .update(_, .erased, _), .clear: known.insert(path)
    case .arrayInsert: known = [path]
    case .arrayMove, .arrayErase: known = []
    default: break
    }
  }

  private mutating func whole(_ instruction: Instruction, _ place: PropertyPath, _ property: PropertySchema)
    -> [Instruction]
  {
    // Nothing that may not be written is to go with what is replaced, and nobody is to learn whether there is anything.
    guard permission.writableFields.reach(place) == .inside else { return refuse(instruction, place) }
    switch instruction {
    case .update(_, .value, _) where property.collection == .single,
      .clear where property.collection != .single:
      known.insert(place)
      return [instruction]
    case .update(_, .object, _), .update(_, .dictionary, _), .update(_, .list, _):
      guard property.collection == .single, property.isNullable else { return refuse(instruction, place) }
      known.insert(place)
      return [.update(place, .value(.null), .isDefault(false)), instruction]
    case .addInteger where property.type == .int && property.collection == .single,
      .setInsert where property.collection == .set, .setErase where property.collection == .set:
      return [instruction]
    default: return refuse(instruction, place)
    }
  }

  /// Entries of dictionaries can be set whether or not they are there.
  private mutating func entry(_ instruction: Instruction, _ place: PropertyPath, _ property: PropertySchema)
    -> [Instruction]
  {
    guard case .update(let path, .value, _) = instruction, property.collection == .dictionary,
      path.path.count == place.path.count + 1, schema.embeddedClass(of: property) == nil
    else { return refuse(instruction, place) }
    return [instruction]
  }

  private mutating func refuse(_ instruction: Instruction, _ place: PropertyPath) -> [Instruction] {
    refused.insert(place.dottedName)
    return [instruction]
  }

  private func property(at place: PropertyPath) -> PropertySchema? {
    var property = schema[place.object.table]?.property(named: place.field)
    var steps = place.path[...]
    while !steps.isEmpty {
      guard let outer = property, let target = schema.embeddedClass(of: outer) else { return nil }
      if outer.collection != .single { steps = steps.dropFirst() }
      guard case .name(let name)? = steps.popFirst() else { return nil }
      property = target.property(named: name)
    }
    return property
  }
}
