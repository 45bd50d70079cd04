// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Reads constants in the light of the path on the other side of the comparison (rql §4).
struct ConstantReader {
  let binder: Binder
  /// The other side.
  let other: Operand
  /// A constant whose type does not fit is legal and matches nothing: beside the operators on strings, and in lists.
  var isLenient = false

  /// The type on the other side; constants are converted to it where that loses nothing the reference keeps.
  private var type: ValueType? {
    if case .path(let path) = other { path.type } else { nil }
  }

  func operand(_ constant: SyntaxConstant) throws(QueryError) -> Operand {
    guard case .argument(let index, let quantifier) = constant else { return .constant(try value(constant)) }
    switch try argument(at: index) {
    case .value(let value):
      if let quantifier {
        throw .argument(
          "ANY/ALL/NONE are only allowed on arguments which contain a list but '$\(index)' is not a list. "
            + "Remove \(quantifier.rawValue)"
        )
      }
      return .constant(try convert(value, ofArgument: index))
    case .list(let values):
      var converted: [Value] = []
      for value in values { converted.append(try convertNumber(value)) }
      return .list(converted, quantifier)
    case .keyPath, .shape: throw unexpectedArgument(index)
    }
  }

  /// The elements of a list. One that does not fit the other side is legal; it matches nothing.
  func values(_ constants: [SyntaxConstant]) throws(QueryError) -> [Value] {
    let reader = ConstantReader(binder: binder, other: other, isLenient: true)
    var values: [Value] = []
    for constant in constants { values.append(try reader.value(constant)) }
    return values
  }

  func value(_ constant: SyntaxConstant) throws(QueryError) -> Value {
    switch constant {
    case .argument(let index, _):
      guard case .value(let value) = try argument(at: index) else {
        throw .argument("Request for scalar argument at index \(index) but a list was provided")
      }
      return try convert(value, ofArgument: index)
    case .literal(let kind, let text): return try checked(try literal(kind, text))
    case .binary(let content): return try checked(.binary(try bytes(of: content)))
    case .object(let className, let key): return try checked(.link(try link(className, key)))
    }
  }

  private func unexpectedArgument(_ index: Int) -> QueryError {
    .argument("Argument $\(index) is no value that a property can be compared with")
  }

  private func argument(at index: Int) throws(QueryError) -> QueryArgument {
    let count = binder.arguments.count
    if index < count { return binder.arguments[index] }
    guard count > 0 else {
      throw .argument("Request for argument at index \(index) but no arguments are provided")
    }
    let provided = count == 1 ? "1 argument is" : "\(count) arguments are"
    throw .argument("Request for argument at index \(index) but only \(provided) provided")
  }

  private func convert(_ value: Value, ofArgument index: Int) throws(QueryError) -> Value {
    let converted = try convertNumber(value)
    guard !isLenient, let type, let own = converted.type, !own.isComparable(with: type) else {
      return converted
    }
    throw .argument("Cannot compare argument $\(index) with value '\(CanonicalText.of(value))' to a \(type)")
  }

  /// Integers know neither infinity nor not-a-number, and beside an int neither can be written down.
  private func convertNumber(_ value: Value) throws(QueryError) -> Value {
    let converted = ConstantConversion.convert(value, to: type)
    guard type == .int, case .double(let double) = converted, !double.isFinite else { return converted }
    throw .argument("\(double.isNaN ? "NaN" : "Infinity") not supported for int")
  }

  private func checked(_ value: Value) throws(QueryError) -> Value {
    guard !isLenient, let type, let own = value.type, !own.isComparable(with: type) else { return value }
    if type == .link, case .path(let path) = other {
      throw .query("Unsupported comparison between '\(CanonicalText.of(path))' and type '\(own)'")
    }
    throw .query("Unsupported comparison between type '\(type)' and type '\(own)'")
  }

  private func literal(_ kind: Token.Kind, _ text: String) throws(QueryError) -> Value {
    switch kind {
    case .null: return .null
    case .trueConstant: return .bool(true)
    case .falseConstant: return .bool(false)
    case .string: return ConstantConversion.convert(.string(text), to: type)
    case .base64: return ConstantConversion.convert(try Base64Text.string(text), to: type)
    case .timestamp: return .timestamp(try TimestampText.parse(text, in: binder.text))
    case .uuid, .objectId: return try identifier(kind, text)
    case .link, .typedLink: throw .unsupported("The object key \(text)")
    default: return try NumberText.value(kind, text, for: type)
    }
  }

  private func identifier(_ kind: Token.Kind, _ text: String) throws(QueryError) -> Value {
    if kind == .uuid, let uuid = UUIDValue(String(text.dropFirst(5).dropLast())) { return .uuid(uuid) }
    if let objectId = ObjectId(hex: String(text.dropFirst(4).dropLast())) { return .objectId(objectId) }
    throw .query("'\(text)' is no identifier")
  }

  private func bytes(of content: SyntaxConstant) throws(QueryError) -> [UInt8] {
    guard case .literal(let kind, let text) = content else { return [] }
    return kind == .base64 ? try Base64Text.bytes(text) : Array(text.utf8)
  }

  private func link(_ name: String, _ key: SyntaxConstant) throws(QueryError) -> Link {
    let className = name.hasPrefix("class_") ? String(name.dropFirst(6)) : name
    guard let target = binder.schema[className], let keyType = target.primaryKey?.type else {
      throw .query("obj('\(name)', …): the schema has no class '\(className)' with a primary key")
    }
    let reader = ConstantReader(
      binder: binder,
      other: .path(PropertyPath(PropertySchema(name: "", type: keyType), of: className))
    )
    guard let primaryKey = PrimaryKey(try reader.value(key)) else {
      throw .query("obj('\(name)', …): the key has a type that no primary key has")
    }
    return Link(className: className, key: primaryKey)
  }
}
