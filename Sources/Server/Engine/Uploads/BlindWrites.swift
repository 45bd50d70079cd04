// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncRules

/// Judges writes to properties that the user may write but not read.
///
/// An instruction that builds on the existing value, such as an insertion into a list, would reveal something about
/// that value by whether it can be applied. So only instructions that can be applied to any value are allowed: those
/// that write the property as a whole, increment an integer, add to or remove from a set, or set a dictionary entry.
/// In a new object, and once the property has been written as a whole, anything goes.
struct BlindWrites {
  let schema: Schema
  let permission: ClassPermission
  /// Whether the user knows the contents of the object because it is new.
  private var isNew: Bool
  /// The places whose contents the user knows.
  private var known: Set<PropertyPath> = []
  /// The properties with a write that must be refused.
  private(set) var refused: Set<String> = []

  init(schema: Schema, permission: ClassPermission, isNew: Bool) {
    self.schema = schema
    self.permission = permission
    self.isNew = isNew
  }

  /// Processes the next instruction on the object.
  ///
  /// - Returns: The instructions to apply in its place. A new embedded object or nested collection is preceded by
  ///   null, so that it replaces the existing one, which the client does not know about.
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

  /// Returns the property that may be written but not read, if a path leads into one.
  private func place(_ path: PropertyPath) -> PropertyPath? {
    guard case .outside(let place) = permission.readableFields.reach(path),
      permission.writableFields.includes(path)
    else { return nil }
    return place
  }

  /// Notes the places whose contents a visible write makes known: a place that it sets or empties, and a new list
  /// element.
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
    // A replacement must not remove anything that may not be written, and must not reveal whether there is anything.
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

  /// Judges a write to an entry of a dictionary. Entries can be set whether or not they exist.
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
