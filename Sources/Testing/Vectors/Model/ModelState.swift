// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

/// The state of a model as a user sees it: defaults filled in, links to missing objects hidden (README of the
/// vectors, "Values").
public struct ModelState: Hashable, Sendable {
  /// A value, a collection or an embedded object.
  public indirect enum Node: Hashable, Sendable {
    case scalar(Value)
    case list([Node])
    case set(Set<Value>)
    case dictionary([[UInt8]: Node])
    case object([String: Node])
  }

  /// The fields of each object, without its key, by class.
  public var objects: [String: [PrimaryKey: [String: Node]]]

  /// Describes the first difference; returns nil if the states are the same. Classes without objects are ignored.
  public func difference(from expected: ModelState) -> String? {
    for name in Set(objects.keys).union(expected.objects.keys).sorted() {
      let found = objects[name] ?? [:]
      let wanted = expected.objects[name] ?? [:]
      for key in Set(found.keys).union(wanted.keys) where found[key] != wanted[key] {
        return Self.difference("\(name)(\(key))", found[key], wanted[key])
      }
    }
    return nil
  }

  private static func difference(_ object: String, _ found: [String: Node]?, _ wanted: [String: Node]?)
    -> String
  {
    guard let found, let wanted else { return "\(object) is \(found == nil ? "missing" : "too many")" }
    for name in Set(found.keys).union(wanted.keys).sorted() where found[name] != wanted[name] {
      return "\(object).\(name) is \(describe(found[name])), expected \(describe(wanted[name]))"
    }
    return "\(object) differs"
  }

  private static func describe(_ node: Node?) -> String { node.map { "\($0)" } ?? "missing" }
}

// MARK: - From a model

extension ObjectModel {
  /// The state as a user sees it.
  public var state: ModelState {
    var objects: [String: [PrimaryKey: [String: ModelState.Node]]] = [:]
    for (name, table) in tables {
      objects[name] = table.objects.mapValues { fields($0, of: table) }
    }
    return ModelState(objects: objects)
  }

  private func fields(_ values: [ModelColumn.ID: ModelNode], of table: Table) -> [String: ModelState.Node] {
    table.columns.mapValues { column in
      let slot = ModelSlot(column.schema)
      return visible(values[column.id] ?? .initial(slot), slot)
    }
  }

  private func visible(_ node: ModelNode, _ slot: ModelSlot) -> ModelState.Node {
    switch node {
    case .scalar(let value): return .scalar(isDangling(value) ? .null : value)
    case .set(let elements):
      if slot.type == .link { return .set(Set(elements.filter { !isDangling($0) })) }
      return .set(Set(elements.map { isDangling($0) ? .null : $0 }))
    case .dictionary(let entries): return .dictionary(entries.mapValues { visible($0, slot.element) })
    case .list(let elements):
      let shown = slot.type == .link ? elements.filter { !isDangling($0) } : elements
      return .list(shown.map { visible($0, slot.element) })
    case .object(let fields):
      guard let target = slot.linkTarget, let table = tables[target] else { return .scalar(.null) }
      return .object(self.fields(fields, of: table))
    }
  }

  private func isDangling(_ node: ModelNode) -> Bool {
    guard case .scalar(let value) = node else { return false }
    return isDangling(value)
  }

  private func isDangling(_ value: Value) -> Bool {
    guard case .link(let link) = value else { return false }
    return tables[link.className]?.objects[link.key] == nil
  }
}

// MARK: - From a vector

extension ModelState {
  /// Reads the `objects` of a state: a list of `{pk, fields}` for each class.
  init(vector json: JSON) throws(VectorError) {
    objects = [:]
    for member in json.objectValue ?? [] {
      var byKey: [PrimaryKey: [String: Node]] = [:]
      for object in try member.value.asElements() {
        byKey[try PrimaryKey(vector: object.field("pk"))] = try Node.fields(vector: object.field("fields"))
      }
      objects[member.name] = byKey
    }
  }
}

extension ModelState.Node {
  fileprivate static func fields(vector json: JSON) throws(VectorError) -> [String: Self] {
    var fields: [String: Self] = [:]
    for member in json.objectValue ?? [] { fields[member.name] = try Self(vector: member.value) }
    return fields
  }

  private init(vector json: JSON) throws(VectorError) {
    if let elements = json["list"]?.arrayValue {
      self = .list(try elements.map { element throws(VectorError) in try Self(vector: element) })
    } else if let elements = json["set"]?.arrayValue {
      self = .set(Set(try elements.map { element throws(VectorError) in try Value(vector: element) }))
    } else if let entries = json["dictionary"]?.objectValue {
      var byKey: [[UInt8]: Self] = [:]
      for entry in entries { byKey[Array(entry.name.utf8)] = try Self(vector: entry.value) }
      self = .dictionary(byKey)
    } else if let object = json["object"] {
      self = .object(try Self.fields(vector: object))
    } else {
      self = .scalar(try Value(vector: json))
    }
  }
}
