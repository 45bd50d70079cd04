// SPDX-License-Identifier: Apache-2.0

extension Query where T == Bool {
  /// The condition as query text and arguments for the core.
  var rendered: RenderedQuery {
    var writer = QueryWriter()
    let text = writer.write(condition.comparingMembers)
    return RenderedQuery(text: text, anyArguments: writer.arguments)
  }

  /// The condition as text with `%@` and its arguments in order, in the style of `NSPredicate`. It compares values that are
  /// stored as embedded objects as they are, which only the SDK's predicates can.
  var predicate: (text: String, arguments: [Any]) {
    var writer = QueryWriter()
    let text = writer.write(condition)
    return (text, writer.arguments)
  }
}

/// Writes an expression as query text, turning constants into arguments.
private struct QueryWriter {
  var arguments: [Any] = []
  private var subqueryCount = 0
  private var scope: Scope?

  /// Inside a subquery, the name of its variable and the path of its collection.
  private struct Scope {
    let variable: String
    let collection: [String]

    /// The path relative to the element of the subquery. Nil for one that does not lead through the collection: the query
    /// language takes its names for those of the element's class, as the Realm Swift SDK does.
    func rest(of path: QueryPath) -> QueryPath? {
      guard path.steps.prefix(collection.count).compactMap(\.propertyName) == collection else {
        Misuse.require(!path.isMultiple, "Subqueries must contain a keypath starting with a collection.")
        return nil
      }
      var rest = path
      rest.steps.removeFirst(collection.count)
      return rest
    }
  }

  mutating func write(_ node: QueryNode) -> String {
    switch node {
    case .path(let path): return write(path)
    case .constant(let value): return add(value)
    case .constants(let values): return add(values as [Any])
    case .shape(let shape): return add(shape)
    case .comparison, .between: return "(\(bare(node)))"
    case .flag(let path, let value): return "\(write(path)) == \(value)"
    case .and, .or: return compound(node)
    case .not(let inner): return negation(inner)
    case .subqueryCount(let condition): return subquery(condition)
    }
  }

  /// Writes a comparison without its parentheses.
  private mutating func bare(_ node: QueryNode) -> String {
    switch node {
    case .comparison(let left, let symbol, let right):
      if left.isMultiplePath && right.isMultiplePath {
        Misuse.stop("Comparing two collection columns is not permitted.")
      }
      // For a search in a collection, IN already means any element, so ANY is left out.
      if case .path(let path) = right, path.isMultiple, symbol == "IN" {
        let value = write(left)
        return "\(value) IN \(name(path).text)"
      }
      let leftText = write(left)
      return "\(leftText) \(symbol) \(write(right))"
    case .between(let value, let lower, let upper):
      let text = write(value)
      let first = add(lower)
      return "\(text) BETWEEN {\(first), \(add(upper))}"
    case .not(let inner): return "NOT " + bare(inner)
    default: return write(node)
    }
  }

  /// Writes a long chain flat: the query language limits the nesting of parentheses.
  private mutating func compound(_ node: QueryNode) -> String {
    let (parts, symbol) = node.chain
    let texts = parts.map { write($0) }
    if texts.count > 32 { return "(\(texts.joined(separator: " \(symbol) ")))" }
    return texts.dropFirst().reduce(texts[0]) { "(\($0) \(symbol) \($1))" }
  }

  private mutating func negation(_ inner: QueryNode) -> String {
    inner.isComparison ? "(NOT \(bare(inner)))" : "NOT \(write(inner))"
  }

  private mutating func add(_ argument: Any) -> String {
    arguments.append(argument)
    return "%@"
  }

  // MARK: Paths

  private mutating func write(_ path: QueryPath) -> String {
    let (text, isMultiple) = name(path)
    return isMultiple ? "ANY \(text)" : text
  }

  /// The path in query syntax, which inside a subquery begins with its variable, and whether it yields several values.
  private mutating func name(_ path: QueryPath) -> (text: String, isMultiple: Bool) {
    guard let scope, let rest = scope.rest(of: path) else {
      // Without steps, it is the element of a collection of plain values.
      return (path.steps.isEmpty && path.function == nil ? "self" : text(path), path.isMultiple)
    }
    return (rest.steps.isEmpty ? scope.variable : "\(scope.variable).\(text(rest))", rest.isMultiple)
  }

  private mutating func text(_ path: QueryPath) -> String {
    guard let function = path.function else { return text(path.steps) }
    let end = path.steps.lastIndex { if case .property(_, isCollection: true) = $0 { true } else { false } }
    let split = (end ?? path.steps.count - 1) + 1
    let collection = text(path.steps[..<split])
    let rest = text(path.steps[split...])
    return rest.isEmpty ? "\(collection).\(function)" : "\(collection).\(function).\(rest)"
  }

  private mutating func text(_ steps: some Collection<QueryPath.Step>) -> String {
    var result = ""
    for step in steps {
      switch step {
      case .property(let name, _): result += (result.isEmpty ? "" : ".") + QueryName.text(name)
      case .element(let key), .mixedElement(let key): result += "[\(add(key))]"
      case .anyElement:
        arguments.append("#any")
        result += "[%K]"
      case .keys: result += ".@allKeys"
      case .values: result += ".@allValues"
      }
    }
    return result
  }

  // MARK: Subqueries

  private mutating func subquery(_ condition: QueryNode) -> String {
    let outer = scope
    defer { scope = outer }
    let collection = condition.subqueryCollection
    subqueryCount += 1
    let variable = "$col\(subqueryCount)"
    scope = Scope(variable: variable, collection: collection)
    let conditionText = write(condition)
    let path = collection.map { QueryName.text($0) }.joined(separator: ".")
    return "SUBQUERY(\(path), \(variable), \(conditionText)).@count"
  }
}

extension QueryNode {
  /// The operands of `a && b && c`, which Swift parses as `(a && b) && c`, in order; at least two for a compound.
  fileprivate var chain: (parts: [QueryNode], symbol: String) {
    var reversed: [QueryNode] = []
    var rest = self
    if case .and = self {
      while case .and(let left, let right) = rest {
        reversed.append(right)
        rest = left
      }
      return ([rest] + reversed.reversed(), "&&")
    }
    while case .or(let left, let right) = rest {
      reversed.append(right)
      rest = left
    }
    return ([rest] + reversed.reversed(), "||")
  }

  fileprivate var isComparison: Bool {
    switch self {
    case .comparison, .between: true
    case .not(let inner): inner.isComparison
    default: false
    }
  }

  /// The property names on the path to the collection whose elements the condition is about.
  fileprivate var subqueryCollection: [String] {
    for path in paths {
      guard let index = path.collectionIndex else { continue }
      return path.steps[...index].compactMap(\.propertyName)
    }
    Misuse.stop("Subqueries must contain a keypath starting with a collection.")
  }

  private var paths: [QueryPath] {
    switch self {
    case .path(let path), .flag(let path, _):
      for step in path.steps {
        if case .element = step { Misuse.stop("Subqueries do not support map subscripts.") }
        switch step {
        case .mixedElement, .anyElement: Misuse.stop("Subqueries do not support AnyRealmValue subscripts.")
        default: break
        }
      }
      return [path]
    case .comparison(let left, _, let right), .and(let left, let right), .or(let left, let right):
      return left.paths + right.paths
    case .between(let value, _, _): return value.paths
    case .not(let inner): return inner.paths
    case .constant, .constants, .shape, .subqueryCount: return []
    }
  }
}

extension QueryPath.Step {
  fileprivate var propertyName: String? {
    if case .property(let name, _) = self { name } else { nil }
  }
}
