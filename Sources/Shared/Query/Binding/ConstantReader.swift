// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Reads constants to fit the operand on the other side (QueryLanguage §4).
struct ConstantReader {
  let binder: Binder
  /// The type of the other side. Constants are converted to it unless that loses something the reference keeps.
  private let type: ValueType?
  /// The path on the other side, used in messages.
  private let path: PropertyPath?
  /// Whether the other side yields type names.
  private let readsTypeNames: Bool
  /// Whether a constant whose type does not fit is legal and simply matches nothing. True for the string operators
  /// and in lists.
  private var isLenient = false

  init(_ binder: Binder, against other: Operand, isLenient: Bool) {
    self.binder = binder
    self.isLenient = isLenient
    type = other.valueType
    readsTypeNames = other.isTypeName
    if case .path(let path) = other { self.path = path } else { path = nil }
  }

  /// Creates a reader for constants that are compared with a constant.
  init(_ binder: Binder) {
    self.init(binder, type: nil)
  }

  private init(_ binder: Binder, type: ValueType?) {
    self.binder = binder
    self.type = type
    path = nil
    readsTypeNames = false
  }

  /// The reader for constants that need not fit the other side.
  private var lenient: ConstantReader {
    var reader = self
    reader.isLenient = true
    return reader
  }

  func operand(_ constant: SyntaxConstant) throws(QueryError) -> Operand {
    guard case .argument(let index, let quantifier) = constant else { return .constant(try value(constant)) }
    switch try binder.argument(at: index) {
    case .value(.list(let values)): return .list(try convert(values), quantifier)
    case .value(let value):
      if let quantifier {
        throw .query(
          "ANY/ALL/NONE are only allowed on arguments which contain a list but '$\(index)' is not a list. "
            + "Remove \(quantifier.rawValue)"
        )
      }
      return .constant(try convert(value, ofArgument: index))
    case .list(let values): return .list(try convert(values), quantifier)
    case .keyPath, .shape: throw unexpectedArgument(index)
    }
  }

  /// Returns the elements of a list. An element that does not fit the other side is legal and matches nothing.
  func values(_ constants: [SyntaxConstant]) throws(QueryError) -> [Value] {
    let reader = lenient
    return try constants.map { constant throws(QueryError) in
      if readsTypeNames, !constant.mayBeTypeName { throw .query("Invalid constant inside constant list") }
      return try reader.value(constant)
    }
  }

  func value(_ constant: SyntaxConstant) throws(QueryError) -> Value {
    switch constant {
    case .argument(let index, _):
      guard case .value(let value) = try binder.argument(at: index) else {
        throw .argument("Request for scalar argument at index \(index) but a list was provided")
      }
      return try convert(value, ofArgument: index)
    case .literal(let kind, let text): return try checked(try literal(kind, text))
    case .binary(let content): return try checked(.binary(try bytes(of: content)))
    case .object(let className, let key): return try checked(.link(try link(className, key)))
    }
  }

  private func convert(_ values: [Value]) throws(QueryError) -> [Value] {
    if readsTypeNames {
      throw .argument("Unsupported comparison between @type and raw value: '@type' and 'mixed'")
    }
    return try values.map { value throws(QueryError) in
      guard !value.isCollection else { throw .argument("A list of arguments cannot hold collections") }
      return try convertNumber(value)
    }
  }

  private func unexpectedArgument(_ index: Int) -> QueryError {
    .argument("Argument $\(index) is not a value that a property can be compared with")
  }

  private func convert(_ value: Value, ofArgument index: Int) throws(QueryError) -> Value {
    if readsTypeNames { return try typeName(value) }
    if case .dictionary = value { throw unexpectedArgument(index) }
    let converted = try convertNumber(value)
    guard !isLenient, let type, let own = converted.type, !own.isComparable(with: type) else {
      return converted
    }
    throw .argument("Cannot compare argument $\(index) with value '\(CanonicalText.of(value))' to a \(type)")
  }

  /// Converts a number. An int cannot be compared with infinity or with a float that is not a number.
  private func convertNumber(_ value: Value) throws(QueryError) -> Value {
    let converted = ConstantConversion.convert(value, to: type)
    guard type == .int, case .double(let double) = converted, !double.isFinite else { return converted }
    if double.isInfinite { throw .query("Infinity not supported for int") }
    if case .float = value { throw .query("NaN not supported for int") }
    return converted
  }

  /// Returns an operand of arithmetic on constants only. Integers stay integers unless the other side is a decimal.
  func operandOfArithmetic(_ constant: SyntaxConstant) throws(QueryError) -> Value {
    let written = try ConstantReader(binder).value(constant)
    if case .int = written, type != .decimal { return written }
    return readsTypeNames ? written : try lenient.value(constant)
  }

  /// Converts a value for the other side, or throws if the two cannot be compared.
  func checked(_ value: Value) throws(QueryError) -> Value {
    if readsTypeNames { return try typeName(value) }
    let value = ConstantConversion.convert(value, to: type)
    guard !isLenient, let type, let own = value.type, !own.isComparable(with: type) else { return value }
    if type == .link, let path {
      throw .query("Unsupported comparison between '\(CanonicalText.of(path))' and type '\(own)'")
    }
    throw .query("Unsupported comparison between type '\(type)' and type '\(own)'")
  }

  private func typeName(_ value: Value) throws(QueryError) -> Value {
    guard case .string(let text) = value else {
      throw .argument(
        "Unsupported comparison between @type and raw value: '@type' and '\(value.type?.description ?? "null")'"
      )
    }
    guard let name = TypeName(text: text) else {
      throw .argument(
        "Unable to parse the type attribute string '\(text)', supported case insensitive values are: "
          + "[\(TypeName.supportedNames)]"
      )
    }
    return .string(name.text)
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
    throw .query("'\(text)' is not a valid identifier")
  }

  private func bytes(of content: SyntaxConstant) throws(QueryError) -> [UInt8] {
    guard case .literal(let kind, let text) = content else { return [] }
    return kind == .base64 ? try Base64Text.bytes(text) : Array(text.utf8)
  }

  private func link(_ name: String, _ key: SyntaxConstant) throws(QueryError) -> Link {
    let className = binder.mapping.className(name.hasPrefix("class_") ? String(name.dropFirst(6)) : name)
    guard let target = binder.schema[className], let keyType = target.primaryKey?.type else {
      throw .query("obj('\(name)', …): the schema has no class '\(className)' with a primary key")
    }
    // No object has a key of another type, so such a link points to nothing.
    guard let primaryKey = PrimaryKey(try ConstantReader(binder, type: keyType).lenient.value(key)) else {
      throw .query("obj('\(name)', …): a primary key cannot have the type of this key")
    }
    return Link(className: className, key: primaryKey)
  }
}

extension SyntaxConstant {
  fileprivate var mayBeTypeName: Bool {
    switch self {
    case .literal(let kind, _): kind == .string || kind == .base64
    case .argument: true
    case .object, .binary: false
    }
  }
}
