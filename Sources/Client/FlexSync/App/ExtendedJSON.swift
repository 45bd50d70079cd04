// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value of a document as Extended JSON, the form in which documents are transferred: written in canonical form,
/// like the Realm SDKs do, and read in any form.
struct ExtendedJSON: Decodable {
  let value: AnyBSON?

  /// Returns the text of a document.
  static func text(_ document: Document) -> String { text(of: .document(document)) }

  /// Returns the text of an array.
  static func text(_ array: [AnyBSON?]) -> String { text(of: .array(array)) }

  private static func text(of value: AnyBSON) -> String {
    var writer = ExtendedJSONWriter()
    writer.append(value)
    return writer.text
  }

  /// Reads a value that a server sent.
  ///
  /// - Throws: `AppError` of code `badResponse` if it is nested too deeply.
  static func value(_ text: String) throws -> AnyBSON? {
    do {
      return try JSONDecoder().decode(ExtendedJSON.self, from: Data(text.utf8)).value
    } catch {
      throw AppError(badResponse: "the server's answer cannot be read: \(error)")
    }
  }

  /// Returns the text of a document with members in a given order, which are JSON already.
  static func text(_ members: [(name: String, json: String)]) -> String {
    "{" + members.map { "\(text(of: .string($0.name))):\($0.json)" }.joined(separator: ",") + "}"
  }

  /// Returns the text of a value.
  static func text(_ value: AnyBSON) -> String { text(of: value) }

  /// Reads a document stored by the library; empty if there is no text. The library stores none that is nested more
  /// deeply than `JSONDecoder` can read.
  static func document(_ text: String?) -> Document {
    guard let text else { return [:] }
    do {
      let value = try JSONDecoder().decode(ExtendedJSON.self, from: Data(text.utf8)).value
      return value?.documentValue ?? [:]
    } catch {
      fatalError("the library's JSON cannot be read: \(error)")
    }
  }
}

// MARK: - Reading

extension ExtendedJSON {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = nil
    } else if let flag = try? container.decode(Bool.self) {
      value = .bool(flag)
    } else if let integer = try? container.decode(Int64.self) {
      value = .int64(integer)
    } else if let number = try? container.decode(Double.self) {
      value = .double(number)
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let elements = try? container.decode([ExtendedJSON].self) {
      value = .array(elements.map(\.value))
    } else {
      let members = try container.decode([String: ExtendedJSON].self).mapValues(\.value)
      value = Self.scalar(members) ?? .document(members)
    }
  }

  /// The value that an object such as `{"$oid": …}` represents.
  private static func scalar(_ members: Document) -> AnyBSON? {
    guard members.count == 1, let (name, content) = members.first, let content else { return nil }
    switch name {
    case "$oid": return content.stringValue.flatMap { try? ObjectId(string: $0) }.map { .objectId($0) }
    case "$numberInt": return content.stringValue.flatMap { Int32($0) }.map { .int32($0) }
    case "$numberLong": return content.stringValue.flatMap { Int64($0) }.map { .int64($0) }
    case "$numberDouble": return content.stringValue.flatMap { Double($0) }.map { .double($0) }
    case "$numberDecimal": return content.stringValue.flatMap { Decimal128($0) }.map { .decimal128($0) }
    case "$uuid": return content.stringValue.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
    case "$date": return date(content).map { .datetime($0) }
    case "$binary": return content.documentValue.flatMap(binary)
    case "$regularExpression": return content.documentValue.flatMap(regularExpression)
    case "$timestamp":
      let seconds = (content.documentValue?["t"] ?? nil)?.asInt64()
      return seconds.map { .timestamp(Date(timeIntervalSince1970: TimeInterval($0))) }
    case "$minKey": return .minKey
    case "$maxKey": return .maxKey
    default: return nil
    }
  }

  private static func date(_ content: AnyBSON) -> Date? {
    if let milliseconds = content.asInt64() {
      return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
    guard let text = content.stringValue else { return nil }
    let formatter = ISO8601DateFormatter()
    if let date = formatter.date(from: text) { return date }
    formatter.formatOptions.insert(.withFractionalSeconds)
    return formatter.date(from: text)
  }

  private static func binary(_ members: Document) -> AnyBSON? {
    guard let base64 = (members["base64"] ?? nil)?.stringValue, let data = Data(base64Encoded: base64) else {
      return nil
    }
    let subtype = (members["subType"] ?? nil)?.stringValue
    guard subtype == "04" || subtype == "4", data.count == 16 else { return .binary(data) }
    return .uuid(UUID(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
  }

  private static func regularExpression(_ members: Document) -> AnyBSON? {
    guard let pattern = (members["pattern"] ?? nil)?.stringValue else { return nil }
    let letters = (members["options"] ?? nil)?.stringValue ?? ""
    let options = regexLetters.filter { letters.contains($0.letter) }.map(\.option)
    return (try? NSRegularExpression(pattern: pattern, options: NSRegularExpression.Options(options)))
      .map { .regex($0) }
  }

  fileprivate static var regexLetters: [(letter: Character, option: NSRegularExpression.Options)] {
    [
      ("i", .caseInsensitive), ("m", .anchorsMatchLines), ("s", .dotMatchesLineSeparators),
      ("x", .allowCommentsAndWhitespace),
    ]
  }
}

// MARK: - Writing

/// Writes values as canonical Extended JSON. It assembles documents and arrays itself, because `JSONEncoder` rejects
/// anything nested deeper than about 500 levels; the library reads such text, and reports an error if it is too deep.
private struct ExtendedJSONWriter {
  private(set) var text = ""
  private let encoder = JSONEncoder()

  mutating func append(_ value: AnyBSON?) {
    switch value {
    case nil, .null: text += "null"
    case .string(let string): append(quoted: string)
    case .bool(let flag): text += flag ? "true" : "false"
    case .document(let members): append(members)
    case .array(let elements): append(elements)
    case .int32(let number): append(["$numberInt": .string("\(number)")])
    case .int64(let number): append(["$numberLong": .string("\(number)")])
    case .double(let number): append(["$numberDouble": .string(Self.words(number))])
    case .decimal128(let number): append(["$numberDecimal": .string(number.stringValue)])
    case .objectId(let identifier): append(["$oid": .string(identifier.stringValue)])
    case .datetime(let date):
      append(["$date": .int64(Int64(clamping: (date.timeIntervalSince1970 * 1000).rounded()))])
    case .timestamp(let date):
      text += #"{"$timestamp":{"t":\#(Int64(clamping: date.timeIntervalSince1970)),"i":0}}"#
    case .binary(let data): append(data, subtype: "00")
    case .uuid(let identifier): append(withUnsafeBytes(of: identifier.uuid) { Data($0) }, subtype: "04")
    case .regex(let expression): append(expression)
    case .minKey: text += #"{"$minKey":1}"#
    case .maxKey: text += #"{"$maxKey":1}"#
    }
  }

  private mutating func append(_ members: Document) {
    text += "{"
    for (index, member) in members.enumerated() {
      if index > 0 { text += "," }
      append(quoted: member.key)
      text += ":"
      append(member.value)
    }
    text += "}"
  }

  private mutating func append(_ elements: [AnyBSON?]) {
    text += "["
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      append(element)
    }
    text += "]"
  }

  private mutating func append(_ data: Data, subtype: String) {
    append(["$binary": ["base64": .string(data.base64EncodedString()), "subType": .string(subtype)]])
  }

  private mutating func append(_ expression: NSRegularExpression) {
    let letters = ExtendedJSON.regexLetters.filter { expression.options.contains($0.option) }.map(\.letter)
    let pattern: Document = ["pattern": .string(expression.pattern), "options": .string(String(letters))]
    append(["$regularExpression": .document(pattern)])
  }

  private mutating func append(quoted string: String) {
    do {
      text += String(decoding: try encoder.encode(string), as: UTF8.self)
    } catch {
      fatalError("a string cannot be written as JSON: \(error)")
    }
  }

  private static func words(_ number: Double) -> String {
    number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
  }
}
