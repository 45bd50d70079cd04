// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The result of `@type` and the constant it is compared with (QueryLanguage §6).
///
/// A predicate holds the name returned by `text` as a string constant. `numeric` and `collection` stand for several
/// types, so names are compared by `matches`, not as strings.
public enum TypeName: String, Hashable, Sendable {
  case null, int, bool, string, binary, date, float, double, decimal = "decimal128"
  case link = "objectlink"
  case objectId = "objectid"
  case uuid
  /// A list in a mixed value.
  case array
  /// A dictionary in a mixed value.
  case object
  /// Any number.
  case numeric
  /// A list or a dictionary.
  case collection

  /// Creates the type name of a value.
  public init(_ value: Value) {
    switch value {
    case .list: self = .array
    case .dictionary: self = .object
    case .null: self = .null
    default: self = value.type.map { TypeName($0) } ?? .null
    }
  }

  /// Creates the type name for the values of a property.
  init(_ type: ValueType) {
    switch type {
    case .int: self = .int
    case .bool: self = .bool
    case .string: self = .string
    case .binary: self = .binary
    case .timestamp: self = .date
    case .float: self = .float
    case .double: self = .double
    case .decimal: self = .decimal
    case .link: self = .link
    case .objectId: self = .objectId
    case .uuid: self = .uuid
    case .mixed: self = .null
    }
  }

  /// Parses any of the names that a query may use, regardless of case.
  init?(text: String) {
    let name = Lexer.lowercasedASCII(text)
    guard let found = TypeName(rawValue: name) ?? Self.otherNames[name] else { return nil }
    self = found
  }

  /// The name in canonical texts.
  public var text: String { rawValue }

  /// Whether the names are equal or one includes the other.
  public func matches(_ other: TypeName) -> Bool {
    self == other || includes(other) || other.includes(self)
  }

  private func includes(_ other: TypeName) -> Bool {
    switch (self, other) {
    case (.numeric, .int), (.numeric, .float), (.numeric, .double), (.numeric, .decimal): true
    case (.collection, .array), (.collection, .object): true
    default: false
    }
  }

  private static let otherNames: [String: TypeName] = [
    "integer": .int, "int16": .int, "int32": .int, "int64": .int, "short": .int, "long": .int, "byte": .int,
    "char": .int, "boolean": .bool, "data": .binary, "bytearray": .binary, "byte[]": .binary,
    "bindata": .binary, "datetimeoffset": .date, "timestamp": .date, "decimal": .decimal, "link": .link,
    "guid": .uuid, "dictionary": .object, "list": .array,
  ]

  /// The names listed in messages, in the reference's order.
  static let supportedNames =
    "null, int, integer, int16, int32, int64, short, long, byte, char, bool, boolean, string, binary, data, "
    + "bytearray, byte[], date, datetimeoffset, timestamp, float, double, decimal128, decimal, objectlink, link, "
    + "objectid, uuid, guid, numeric, bindata, object, dictionary, array, list, collection"
}
