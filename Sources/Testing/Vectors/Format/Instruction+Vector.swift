// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

extension Instruction {
  /// Creates the instruction that a vector represents as an object with `op` and further fields (README,
  /// "Instructions").
  public init(vector json: JSON) throws(VectorError) {
    switch try json.text("op") {
    case "AddTable": self = try Instruction.addTable(json)
    case "EraseTable": self = .eraseTable(name: try json.text("table"))
    case "AddColumn": self = try Instruction.addColumn(json)
    case "EraseColumn": self = .eraseColumn(table: try json.text("table"), name: try json.text("field"))
    case "CreateObject": self = .createObject(try ObjectReference(vector: json))
    case "EraseObject": self = .eraseObject(try ObjectReference(vector: json))
    default: self = try Instruction.atPath(json)
    }
  }

  /// Returns the instructions of an array.
  public static func list(vector json: JSON) throws(VectorError) -> [Instruction] {
    try json.asElements().map { element throws(VectorError) in try Instruction(vector: element) }
  }

  private static func addTable(_ json: JSON) throws(VectorError) -> Instruction {
    let kind = try ClassKind(vector: json.text("kind"))
    var key: PropertySchema?
    if let declaration = json["pk"], try declaration.text("type") != "globalKey" {
      key = PropertySchema(
        name: try declaration.text("name"),
        type: try ValueType(vector: declaration.text("type")),
        isNullable: try declaration.flag("nullable")
      )
    }
    return .addTable(name: try json.text("table"), kind: kind, primaryKey: key)
  }

  private static func addColumn(_ json: JSON) throws(VectorError) -> Instruction {
    let keyType = try json["keyType"]?.asText()
    return .addColumn(
      table: try json.text("table"),
      try PropertySchema(vector: json, name: json.text("field")),
      keyType: try keyType.map { text throws(VectorError) in try ValueType(vector: text) }
    )
  }

  private static func atPath(_ json: JSON) throws(VectorError) -> Instruction {
    let path = try PropertyPath(vector: json)
    switch try json.text("op") {
    case "Update": return .update(path, try json.payload(), try UpdateDetail(vector: json))
    case "AddInteger": return .addInteger(path, delta: try json.number("value"))
    case "ArrayInsert": return .arrayInsert(path, try json.payload(), priorSize: try json.number("priorSize"))
    case "ArrayMove":
      return .arrayMove(path, to: try json.number("to"), priorSize: try json.number("priorSize"))
    case "ArrayErase": return .arrayErase(path, priorSize: try json.number("priorSize"))
    case "Clear": return .clear(path, try CollectionKind(vector: json.text("collection")))
    case "SetInsert": return .setInsert(path, try json.payload())
    case "SetErase": return .setErase(path, try json.payload())
    case let name: throw VectorError("no instruction is called \(name)")
    }
  }
}

extension JSON {
  fileprivate func payload() throws(VectorError) -> Payload { try Payload(vector: field("value")) }
}

extension ObjectReference {
  init(vector json: JSON) throws(VectorError) {
    self.init(table: try json.text("table"), key: try PrimaryKey(vector: json.field("pk")))
  }
}

extension PropertyPath {
  init(vector json: JSON) throws(VectorError) {
    let path = try json.elements("path").map { element throws(VectorError) -> PathElement in
      if let name = element.stringValue { .name(name) } else { .index(try element.asNumber()) }
    }
    self.init(object: try ObjectReference(vector: json), field: try json.text("field"), path: path)
  }
}

extension UpdateDetail {
  init(vector json: JSON) throws(VectorError) {
    self =
      json["priorSize"] != nil
      ? .priorSize(try json.number("priorSize")) : .isDefault(try json.flag("default"))
  }
}
