// SPDX-License-Identifier: Apache-2.0

/// The header fields of an HTTP message, in order. Names are compared case-insensitively (RFC 9110 §5.1).
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// One header field.
  public struct Field: Sendable, Equatable {
    /// The name as written.
    public let name: String
    /// The value without surrounding white space.
    public let value: String
  }

  /// All fields in order.
  public private(set) var fields: [Field] = []

  /// Creates an empty list of fields.
  public init() {}

  /// Creates the fields in the order of the literal.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// Adds a field after the others.
  ///
  /// A line break would end the field and start another one, so control characters in either part are replaced by
  /// spaces.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: Self.sanitized(name), value: Self.sanitized(value)))
  }

  /// The value of the first field with this name. Setting it replaces all of them; setting nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.same($0.name, name) }?.value }
    set {
      fields.removeAll { Self.same($0.name, name) }
      if let newValue { append(name, newValue) }
    }
  }

  /// Returns the values of all fields with this name.
  public func values(_ name: String) -> [String] {
    fields.filter { Self.same($0.name, name) }.map(\.value)
  }

  /// Returns the members of a comma-separated list, across all fields with this name, without surrounding white
  /// space.
  public func list(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: ",") }.map { Self.trimmed($0) }.filter { !$0.isEmpty }
  }

  /// Whether a list such as `Connection` has a member, ignoring case.
  func contains(_ name: String, token: String) -> Bool {
    list(name).contains { Self.same($0, token) }
  }

  /// Whether two ASCII texts are equal, ignoring case.
  static func same(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) { lowercase($0) == lowercase($1) }
  }

  private static func lowercase(_ character: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) ? character | 0x20 : character
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
    while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
    return String(text)
  }

  private static func sanitized(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return text }
    return String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }, as: UTF8.self)
  }
}
