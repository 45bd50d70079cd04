// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A value in a configuration file together with its location, so that every problem can name file and key.
package struct ConfigurationNode {
  package let file: String
  package let key: String?
  package let value: JSON
  package let problems: ProblemCollector

  package init(file: String, key: String?, value: JSON, problems: ProblemCollector) {
    self.file = file
    self.key = key
    self.value = value
    self.problems = problems
  }

  /// Returns the member with a name; nil if it is missing or null.
  package func member(_ name: String) -> ConfigurationNode? {
    guard let value = value[name], value != .null else { return nil }
    return node(path(to: name), value)
  }

  /// Returns the members of an object in order. Reports anything else as an error.
  package func members() -> [(name: String, node: ConfigurationNode)] {
    guard let members = value.objectValue else {
      error("must be an object")
      return []
    }
    return members.map { ($0.name, node(path(to: $0.name), $0.value)) }
  }

  /// Returns the elements of a list, each with its location; nil for anything else.
  package func elements() -> [ConfigurationNode]? {
    guard let elements = value.arrayValue else { return nil }
    return elements.enumerated().map { index, element in node("\(key ?? "")[\(index)]", element) }
  }

  /// Returns a member as a string; nil if it is missing. Reports a value of another type.
  package func string(_ name: String) -> String? {
    guard let member = member(name) else { return nil }
    return member.value.stringValue ?? member.reject("must be a string")
  }

  /// Returns a member as a Boolean, or `standard` if it is missing. Reports a value of another type.
  package func bool(_ name: String, default standard: Bool) -> Bool {
    guard let member = member(name) else { return standard }
    if let value = member.value.boolValue { return value }
    member.error("must be true or false")
    return standard
  }

  /// Returns a member as an integer; nil if it is missing. Reports a value of another type.
  package func integer(_ name: String) -> Int64? {
    guard let member = member(name) else { return nil }
    return member.value.integerValue ?? member.reject("must be a whole number")
  }

  /// Returns a member as a list of strings; empty if it is missing. Reports values of another type.
  package func strings(_ name: String) -> [String] {
    member(name)?.strings() ?? []
  }

  /// Returns this value as a list of strings. Reports values of another type.
  package func strings() -> [String] {
    guard let elements = value.arrayValue else {
      error("must be a list of strings")
      return []
    }
    let names = elements.compactMap(\.stringValue)
    if names.count != elements.count { error("must contain strings only") }
    return names
  }

  package func error(_ message: String) { problems.error(file, key: key, message) }

  /// Reports an error, and returns nil in place of what cannot be read because of it.
  package func reject<Value>(_ message: String) -> Value? {
    error(message)
    return nil
  }

  package func warning(_ message: String) { problems.warning(file, key: key, message) }

  package func note(_ message: String) { problems.note(file, key: key, message) }

  private func node(_ key: String?, _ value: JSON) -> ConfigurationNode {
    ConfigurationNode(file: file, key: key, value: value, problems: problems)
  }

  /// Returns the node with another value in the same place.
  package func replaced(by value: JSON) -> ConfigurationNode { node(key, value) }

  private func path(to name: String) -> String { key.map { "\($0).\(name)" } ?? name }
}
