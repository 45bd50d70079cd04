// SPDX-License-Identifier: Apache-2.0

extension CanonicalText {
  static func of(_ path: PropertyPath) -> String {
    let steps = path.links.map { step in
      name(step.property.name, of: step.owner, isBackward: step.isBackward)
        + (step.selector.map { of($0) } ?? "")
    }
    return prefix(path.quantifier) + (steps + [end(of: path)]).joined(separator: ".")
  }

  private static func end(of path: PropertyPath) -> String {
    let name = name(path.property.name, of: path.owner, isBackward: path.endsInBacklinks)
    return name + path.selectors.map(of).joined() + suffix(path)
  }

  private static func name(_ property: String, of owner: String, isBackward: Bool) -> String {
    let name = Identifier.escape(property)
    return isBackward ? "@links.\(Identifier.escape(owner)).\(name)" : name
  }

  private static func of(_ selector: ElementSelector) -> String {
    switch selector {
    case .index(0): "[FIRST]"
    case .index(let index): "[\(index)]"
    case .last: "[LAST]"
    case .every: "[*]"
    case .key(let key): "['\(key)']"
    case .keys: ".@keys"
    }
  }

  private static func suffix(_ path: PropertyPath) -> String {
    switch path.measure {
    case .value: ""
    case .count: path.type == .link ? ".@count" : ".@size"
    case .length: path.property.collection == .single || !path.selectors.isEmpty ? ".@size" : ".length"
    case .type: ".@type"
    case .incomingCount: ".@count"
    }
  }
}
