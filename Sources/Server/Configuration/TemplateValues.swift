// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules

/// Replaces `%(%%environment.values.NAME)` in the strings of configuration files.
struct TemplateValues {
  /// `%%environment`, an object with `tag` and `values`.
  let environment: JSON

  /// Returns the content of a file with all templates replaced. Reports templates that have no value.
  func resolve(_ node: ConfigurationNode) -> ConfigurationNode {
    node.replaced(by: resolved(node))
  }

  private func resolved(_ node: ConfigurationNode) -> JSON {
    switch node.value {
    case .string(let text): return text.contains("%(") ? .string(resolve(text, node)) : node.value
    case .array: return .array((node.elements() ?? []).map(resolved))
    case .object: return .object(node.members().map { JSON.Member($0.name, resolved($0.node)) })
    default: return node.value
    }
  }

  private func resolve(_ text: String, _ node: ConfigurationNode) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "%(") {
      result += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstIndex(of: ")") else {
        node.error("has %( without )")
        return text
      }
      result += value(of: String(rest[start.upperBound..<end]), node)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private func value(of expansion: String, _ node: ConfigurationNode) -> String {
    var path = expansion.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard path.removeFirst() == "%%environment", !path.isEmpty else {
      node.error("%(\(expansion)) cannot be replaced; use %(%%environment.values.NAME)")
      return ""
    }
    var value: JSON? = environment
    for name in path { value = value?[name] }
    guard let text = value?.stringValue else {
      let tag = environment["tag"]?.stringValue ?? ""
      let name = tag.isEmpty ? "no-environment" : tag
      node.error("\(expansion) is \(value == nil ? "missing" : "not a string") in environments/\(name).json")
      return ""
    }
    return text
  }
}
