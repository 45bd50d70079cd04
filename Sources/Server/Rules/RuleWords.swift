// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// The vocabulary of rule expressions.
enum RuleWords {
  /// Returns the name of an operator without its `$` or `%`; nil if the name is not that of an operator.
  static func operatorName(_ name: String) -> String? {
    if name.hasPrefix("%%") { return nil }
    guard name.hasPrefix("$") || name.hasPrefix("%") else { return nil }
    return String(name.dropFirst())
  }

  /// Returns whether an object represents a single value: Extended JSON or a conversion.
  static func isValue(_ json: JSON) -> Bool {
    guard case .object(let members) = json, let name = members.first.flatMap({ operatorName($0.name) }) else {
      return false
    }
    return extendedTypes.contains(name) || members.count == 1 && RuleConversion(rawValue: name) != nil
      || name == "function"
  }

  private static let extendedTypes: Set<String> = [
    "oid", "date", "numberInt", "numberLong", "numberDouble", "numberDecimal", "binary", "uuid", "ref",
  ]

  /// Returns the expansion that a text with a single percent sign resembles, such as `%user.id`; nil if it resembles none.
  static func expansionMeant(by text: String) -> String? {
    guard text.hasPrefix("%"), !text.hasPrefix("%%") else { return nil }
    let root =
      text.dropFirst().split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    let isKnown = RuleExpansion.Root(rawValue: root) != nil || ["true", "false"].contains(text.dropFirst())
    return isKnown ? "%" + text : nil
  }

  /// Reads an expansion such as `%%user.custom_data.team`.
  static func expansion(_ text: String, _ node: ConfigurationNode) throws(RuleSyntaxError) -> RuleExpansion {
    var path = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let name = path.removeFirst()
    guard let root = RuleExpansion.Root(rawValue: name) else {
      if let reason = unavailable[name] {
        throw .notSyncCompatible(node, "%%\(name) cannot be used: \(reason)")
      }
      throw .malformed(
        node,
        "%%\(name) is unknown; use %%user, %%values, %%environment, %%true or %%false"
      )
    }
    guard !path.contains("") else { throw .malformed(node, "\"\(text)\" contains an empty name") }
    let expansion = RuleExpansion(root: root, path: path)
    guard isMeaningful(expansion) else {
      throw .notSyncCompatible(node, "\(text) has no value; use \(known(root))")
    }
    return expansion
  }

  private static func isMeaningful(_ expansion: RuleExpansion) -> Bool {
    let first = expansion.path.first
    return switch expansion.root {
    case .values: first != nil
    case .environment: expansion.path == ["tag"] || first == "values" && expansion.path.count > 1
    case .user:
      expansion.path == ["id"] || expansion.path == ["type"]
        || ["data", "custom_data", "identities"].contains(first)
    }
  }

  private static func known(_ root: RuleExpansion.Root) -> String {
    switch root {
    case .values: "%%values.NAME"
    case .environment: "%%environment.tag or %%environment.values.NAME"
    case .user: "%%user.id, .type, .data, .custom_data or .identities"
    }
  }

  private static let unavailable: [String: String] = {
    let document = "sync evaluates rules before it reads a document; name the field without an expansion"
    return [
      "root": document, "this": document, "prev": document, "prevRoot": document,
      "request": "a sync session is not a request",
      "partition": "Flexible Sync has no partitions",
      "args": "sync rules have no arguments",
    ]
  }()

  /// Returns the error for an operator that cannot be used.
  static func refusal(of name: String, _ node: ConfigurationNode) -> RuleSyntaxError {
    let word = operatorName(name) ?? name
    if word == "function" {
      return .notSyncCompatible(
        node,
        "this server does not run functions; write the condition with %%user, for example with custom user "
          + "data that holds what the function determined"
      )
    }
    if operators.contains(word) {
      return .malformed(node, "\(name) is not allowed here")
    }
    if unsupported.contains(word) {
      return .notSyncCompatible(node, "the operator \(name) is not available in sync rules")
    }
    return .malformed(node, "the operator \(name) is unknown")
  }

  private static let operators: Set<String> = [
    "and", "or", "nor", "not", "eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "all", "exists", "size",
    "elemMatch",
  ]

  /// MongoDB's other query operators.
  private static let unsupported: Set<String> = [
    "regex", "options", "type", "mod", "expr", "jsonSchema", "where", "text", "comment",
    "geoWithin", "geoIntersects", "near", "nearSphere", "bitsAllClear", "bitsAllSet", "bitsAnyClear",
    "bitsAnySet", "rand", "meta", "slice",
  ]
}
