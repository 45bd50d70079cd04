// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// The reason an operation on objects is rejected (protocol §6.7).
public struct ObjectError: Error, Hashable, Sendable {
  /// The violated rule.
  public enum Reason: Hashable, Sendable {
    /// The class is not declared.
    case unknownClass(String)
    /// The property is not declared.
    case unknownProperty(className: String, property: String)
    /// The class or property is already declared differently.
    case schemaConflict(String)
    /// The schema uses something that cannot be stored yet, or the instruction would remove a part of the schema.
    case unsupported(String)
    /// The primary key is null or of another type than the class's keys.
    case wrongKeyType(expected: ValueType)
    /// The object does not exist.
    case missingObject
    /// The value has a different type from the property.
    case wrongType(expected: ValueType, found: ValueType)
    /// The value is null, but the property is required.
    case notNullable
    /// The link leads to a class other than the declared one.
    case wrongLinkTarget(expected: String, found: String)
    /// The path or the payload does not fit the kind of the property.
    case wrongPath(String)
    /// The place does not exist inside the current value of a mixed property, which others may have changed.
    case missingPlace(String)
    /// The index is beyond the end of the list.
    case indexOutOfRange(index: Int, size: Int)
    /// The peer assumed a different length of the list.
    case wrongPriorSize(expected: Int, found: Int)
    /// Collections are nested more deeply than this limit.
    case nestedTooDeeply(limit: Int)
    /// Objects of the class exist only inside others.
    case embeddedClass(String)
    /// The property cannot be changed, because it is the primary key.
    case primaryKeyIsConstant
  }

  /// The violated rule.
  public let reason: Reason

  /// Creates an error.
  public init(_ reason: Reason) { self.reason = reason }
}

extension ObjectError: CustomStringConvertible {
  /// A description of the reason.
  public var description: String { reason.description }
}

extension ObjectError.Reason: CustomStringConvertible {
  /// A description of the reason.
  public var description: String {
    switch self {
    case .unknownClass(let name): "class '\(name)' does not exist"
    case .unknownProperty(let className, let property): "property '\(className).\(property)' does not exist"
    case .schemaConflict(let text), .unsupported(let text), .wrongPath(let text), .missingPlace(let text):
      text
    case .wrongKeyType(let expected): "the primary key must be of type \(expected)"
    case .missingObject: "the object does not exist"
    case .wrongType(let expected, let found):
      "a property of type \(expected) cannot hold a value of type \(found)"
    case .notNullable: "a required property cannot be null"
    case .wrongLinkTarget(let expected, let found):
      "a property that links to '\(expected)' cannot link to '\(found)'"
    case .indexOutOfRange(let index, let size): "index \(index) is out of bounds for a list of size \(size)"
    case .wrongPriorSize(let expected, let found):
      "the list has \(found) elements, but the change expects \(expected)"
    case .nestedTooDeeply(let limit): "collections cannot be nested more than \(limit) levels deep"
    case .embeddedClass(let name):
      "objects of the embedded class '\(name)' can only be created in a property of another object"
    case .primaryKeyIsConstant: "primary key can't be changed after an object is inserted"
    }
  }
}

/// An instruction that cannot be applied, which invalidates its entire changeset (protocol §6.7).
public struct ApplyError: Error, Hashable, Sendable {
  /// The instruction.
  public let instruction: Instruction
  /// The rule that it violates.
  public let reason: ObjectError.Reason

  /// The object that the instruction acts on; nil for schema instructions.
  public var object: ObjectReference? { instruction.object }
}

extension ApplyError: CustomStringConvertible {
  /// The instruction, the object and the reason.
  public var description: String {
    let target = object.map { " of \($0.table) \($0.key)" } ?? ""
    return "\(instruction.name)\(target): \(reason)"
  }
}

extension Instruction {
  /// The protocol's name of the instruction, with the property that it acts on.
  var name: String {
    switch self {
    case .addTable(let name, _, _): "AddTable '\(name)'"
    case .eraseTable(let name): "EraseTable '\(name)'"
    case .createObject: "CreateObject"
    case .eraseObject: "EraseObject"
    case .update(let path, _, _): "Update of '\(path.field)'"
    case .addInteger(let path, _): "AddInteger to '\(path.field)'"
    case .addColumn(let table, let property, _): "AddColumn '\(table).\(property.name)'"
    case .eraseColumn(let table, let name): "EraseColumn '\(table).\(name)'"
    case .arrayInsert(let path, _, _): "ArrayInsert into '\(path.field)'"
    case .arrayMove(let path, _, _): "ArrayMove in '\(path.field)'"
    case .arrayErase(let path, _): "ArrayErase from '\(path.field)'"
    case .clear(let path, _): "Clear of '\(path.field)'"
    case .setInsert(let path, _): "SetInsert into '\(path.field)'"
    case .setErase(let path, _): "SetErase from '\(path.field)'"
    }
  }
}
