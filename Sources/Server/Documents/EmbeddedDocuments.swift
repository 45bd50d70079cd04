// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

/// Reading of nested documents as the instructions that create them in an empty place. The instructions are in the
/// same order as the store yields them, so that existing content can be recognised.
extension DocumentReader {
  /// Returns whether a property holds embedded objects.
  func isEmbedded(_ property: PropertySchema) -> Bool {
    property.linkTarget.map { schema[$0]?.kind == .embedded } ?? false
  }

  /// Returns the instructions that fill a property with the embedded objects described by `json`.
  ///
  /// - Throws: `DocumentError` if the document does not fit the schema.
  func embedded(_ json: JSON?, _ property: PropertySchema, at path: PropertyPath) throws -> [Instruction] {
    guard let json, json != .null else { return [] }
    switch property.collection {
    case .single: return [.update(path, .object, .isDefault(false))] + (try inside(json, property, at: path))
    case .list:
      guard let elements = json.arrayValue else { throw mismatch(property, json) }
      return try elements.enumerated().flatMap { index, element in
        let position = UInt32(truncatingIfNeeded: index)
        let place = path.appending(.index(position))
        let contents = try inside(element, property, at: place)
        return [.arrayInsert(place, .object, priorSize: position)] + contents
      }
    case .dictionary:
      guard let members = json.objectValue else { throw mismatch(property, json) }
      let sorted = members.sorted { UTF8Order.isLess($0.name, $1.name) }
      return try sorted.flatMap { member in
        let place = path.appending(.name(member.name))
        guard member.value != .null else {
          return [Instruction.update(place, .value(.null), .isDefault(false))]
        }
        let contents = try inside(member.value, property, at: place)
        return [.update(place, .object, .isDefault(false))] + contents
      }
    case .set: throw DocumentError(description: "field \"\(property.name)\" is a set of embedded objects")
    }
  }

  /// Returns the instructions that set the values of a new embedded object.
  private func inside(_ json: JSON, _ property: PropertySchema, at path: PropertyPath) throws -> [Instruction]
  {
    guard json.objectValue != nil, let target = property.linkTarget, let classSchema = schema[target] else {
      throw mismatch(property, json)
    }
    let properties = classSchema.properties
    let ordered =
      properties.filter { $0.collection == .single } + properties.filter { $0.collection != .single }
    return try ordered.flatMap { inner in
      let place = path.appending(.name(inner.name))
      return try instructions(for: content(json[inner.name], inner, at: place), inner, at: place)
    }
  }

  private func instructions(
    for content: ImportedObject.Content,
    _ property: PropertySchema,
    at path: PropertyPath
  ) throws -> [Instruction] {
    switch content {
    case .embedded(let instructions): return instructions
    case .value(let value) where value == property.initialValue: return []
    default: return content.filling(path, property.collection)
    }
  }
}

extension PropertySchema {
  /// The value of a single property in a new object.
  fileprivate var initialValue: Value { isNullable ? .null : type.zero }
}
