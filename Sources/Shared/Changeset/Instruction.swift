// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// One step of a changeset (protocol §6.5). Instructions run in the order in which the changeset lists them.
public enum Instruction: Hashable, Sendable {
  /// `primaryKey` is nil for embedded classes, and for classes without a declared key, whose objects have global
  /// keys. No SDK syncs the latter.
  case addTable(name: String, kind: ClassKind, primaryKey: PropertySchema?)
  case eraseTable(name: String)
  case createObject(ObjectReference)
  case eraseObject(ObjectReference)
  case update(PropertyPath, Payload, UpdateDetail)
  case addInteger(PropertyPath, delta: Int64)
  case addColumn(table: String, PropertySchema, keyType: ValueType?)
  case eraseColumn(table: String, name: String)
  /// The path ends in the index at which the element is inserted.
  case arrayInsert(PropertyPath, Payload, priorSize: UInt32)
  /// The path ends in the index of the element before the move; `to` is its index after the move.
  case arrayMove(PropertyPath, to: UInt32, priorSize: UInt32)
  /// The path ends in the index of the element.
  case arrayErase(PropertyPath, priorSize: UInt32)
  /// The path of the collection itself. Peers that speak a protocol version before 13 write `.single`, meaning any
  /// kind.
  case clear(PropertyPath, CollectionKind)
  case setInsert(PropertyPath, Payload)
  case setErase(PropertyPath, Payload)
}

extension Instruction {
  /// Returns the same instruction at another place. An instruction that has none stays as it is.
  package func moved(to path: PropertyPath) -> Instruction {
    switch self {
    case .update(_, let payload, let detail): .update(path, payload, detail)
    case .addInteger(_, let delta): .addInteger(path, delta: delta)
    case .arrayInsert(_, let payload, let size): .arrayInsert(path, payload, priorSize: size)
    case .arrayMove(_, let to, let size): .arrayMove(path, to: to, priorSize: size)
    case .arrayErase(_, let size): .arrayErase(path, priorSize: size)
    case .clear(_, let kind): .clear(path, kind)
    case .setInsert(_, let payload): .setInsert(path, payload)
    case .setErase(_, let payload): .setErase(path, payload)
    case .addTable, .eraseTable, .createObject, .eraseObject, .addColumn, .eraseColumn: self
    }
  }
}

/// An object, identified by class name and primary key.
public struct ObjectReference: Hashable, Sendable {
  public var table: String
  public var key: PrimaryKey

  public init(table: String, key: PrimaryKey) {
    self.table = table
    self.key = key
  }
}

/// A place inside an object: a property, and the steps from it into lists, dictionaries and embedded objects.
public struct PropertyPath: Hashable, Sendable {
  public var object: ObjectReference
  public var field: String
  public var path: [PathElement]

  public init(object: ObjectReference, field: String, path: [PathElement] = []) {
    self.object = object
    self.field = field
    self.path = path
  }
}

/// One step of a path (protocol §6.3).
public enum PathElement: Hashable, Sendable {
  /// An index into a list.
  case index(UInt32)
  /// A dictionary key or a field of an embedded object.
  case name(String)
}

extension PathElement {
  /// Compares names by their bytes, because they can be dictionary keys.
  public static func == (left: PathElement, right: PathElement) -> Bool {
    switch (left, right) {
    case (.index(let left), .index(let right)): left == right
    case (.name(let left), .name(let right)): UTF8Order.areEqual(left, right)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .index(let index): hasher.combine(index)
    case .name(let name): UTF8Order.hash(name, into: &hasher)
    }
  }
}

/// The content that an instruction writes at its path (protocol §6.4).
public enum Payload: Hashable, Sendable {
  case value(Value)
  /// Creates an embedded object here.
  case object
  /// Turns this place of type mixed into a dictionary. An existing dictionary keeps its entries.
  case dictionary
  /// Turns this place of type mixed into a list. An existing list keeps its elements.
  case list
  /// Never valid inside mixed, but has a code on the wire.
  case set
  /// Removes the dictionary entry.
  case erased
  /// A global key in place of a value. Exists only inside a peer: no parser reads it, and it is written as null.
  case globalKey(high: UInt64, low: UInt64)
}

/// The operand of an update. Its kind depends on what the path ends in.
public enum UpdateDetail: Hashable, Sendable {
  /// The path ends in a property, field or key. Whether the value is only the schema's default.
  case isDefault(Bool)
  /// The path ends in a list index. The length of the list before the update.
  case priorSize(UInt32)
}

extension Instruction {
  /// The object that the instruction acts on; nil for schema instructions.
  public var object: ObjectReference? {
    switch self {
    case .createObject(let object), .eraseObject(let object): object
    default: path?.object
    }
  }

  /// The place that the instruction changes; nil for instructions on the schema and on entire objects.
  public var path: PropertyPath? {
    switch self {
    case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject: nil
    case .update(let path, _, _), .addInteger(let path, _), .arrayInsert(let path, _, _),
      .arrayMove(let path, _, _), .arrayErase(let path, _), .clear(let path, _), .setInsert(let path, _),
      .setErase(let path, _):
      path
    }
  }
}
