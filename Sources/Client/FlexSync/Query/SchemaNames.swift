// SPDX-License-Identifier: Apache-2.0

/// Replaces the Swift names in a query by those of the schema, for classes that map them and for linking objects.
///
/// Names that the class does not have stay as they are: they are names of the schema, words of the query language, or
/// mistakes, which the library reports.
private struct SchemaNames {
  private let root: DiscoveredClass
  /// The classes of the variables of subqueries.
  private var variables: [Substring: DiscoveredClass] = [:]
  /// The class in which the path before the current position ended.
  private var latest: DiscoveredClass?

  init(of root: DiscoveredClass) { self.root = root }

  mutating func replaced(in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let character = rest.first {
      if character == "'" || character == "\"" {
        result += rest.takeQuoted()
      } else if character == "$" {
        result += variable(&rest)
      } else if character.isPartOfName || character == "#" {
        result += path(rest.take(while: \.isPartOfPath), followedBy: rest.first)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }

  /// The path of names after `$`, in the class of its variable. A variable gets its class where it is introduced, which is
  /// after the path to its collection.
  private mutating func variable(_ rest: inout Substring) -> String {
    rest.removeFirst()
    let written = rest.take(while: \.isPartOfPath)
    let name = written.prefix { $0 != "." }
    if variables[name] == nil { variables[name] = latest }
    guard name != written, let type = variables[name] else { return "$\(written)" }
    return "$\(name)." + path(written.dropFirst(name.count + 1), in: type)
  }

  private mutating func path(_ written: Substring, followedBy next: Character?) -> String {
    // A function such as `uuid(…)`.
    next == "(" ? String(written) : path(written, in: root)
  }

  private mutating func path(_ written: Substring, in type: DiscoveredClass) -> String {
    let (path, end) = type.schemaPath(written, inQuery: true)
    latest = end ?? latest
    return path
  }
}

extension RenderedQuery {
  /// The query in names of the schema. See `SchemaNames`.
  func inSchemaNames(of root: DiscoveredClass) -> RenderedQuery {
    var names = SchemaNames(of: root)
    return RenderedQuery(text: names.replaced(in: text), arguments: arguments)
  }
}

extension DiscoveredClass {
  /// The path in names of the schema for one in Swift names, and the class that it leads to, if it is known.
  ///
  /// - Parameter inQuery: Whether the path is part of a query, where words of the query language are names after `#` only.
  func schemaPath(_ path: some StringProtocol, inQuery: Bool = false) -> (path: String, end: DiscoveredClass?)
  {
    var type: DiscoveredClass? = self
    var leadsOn = false
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { written -> String in
      let isEscaped = inQuery && written.hasPrefix("#")
      let name = String(isEscaped ? written.dropFirst() : written[...])
      let isWord = inQuery && !isEscaped && QueryName.isWord(name)
      guard !isWord, !name.hasPrefix("@"), let step = type?.step(named: name) else { return String(written) }
      type = step.target
      leadsOn = true
      return inQuery ? QueryName.text(step.columnName) : step.columnName
    }
    return (names.joined(separator: "."), leadsOn ? type : nil)
  }

  /// The property or linking objects with a name, that of the schema before the Swift one.
  private func step(named name: String) -> PropertyStep? {
    let ordinal =
      properties.firstIndex { $0.columnName == name } ?? ordinal(named: name)
      ?? backlinks.firstIndex { $0.name == name }.map { properties.count + $0 }
    return ordinal.map { PropertyStep(discovered: self, ordinal: $0) }
  }
}

extension PropertyStep {
  /// The class that the property leads to.
  fileprivate var target: DiscoveredClass? {
    let properties = discovered.properties
    guard ordinal < properties.count else {
      return DiscoveredClass.of(discovered.backlinks[ordinal - properties.count].originClass)
    }
    return properties[ordinal].type.linkTarget.map(DiscoveredClass.of)
  }
}

extension Character {
  fileprivate var isPartOfPath: Bool { isPartOfName || self == "." || self == "@" || self == "#" }
}

extension Substring {
  fileprivate mutating func take(while isTaken: (Character) -> Bool) -> Substring {
    let taken = prefix(while: isTaken)
    removeFirst(taken.count)
    return taken
  }

  /// Takes a text in quotes, which may contain escaped ones.
  fileprivate mutating func takeQuoted() -> String {
    let quote = removeFirst()
    var result = String(quote)
    while let character = popFirst() {
      result.append(character)
      if character == "\\", let escaped = popFirst() { result.append(escaped) }
      if character == quote { break }
    }
    return result
  }
}
