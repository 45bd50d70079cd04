// SPDX-License-Identifier: Apache-2.0

extension Query where T == Bool {
  /// The condition as text with arguments.
  var rendered: RenderedQuery {
    var renderer = QueryRenderer()
    let text = renderer.render(condition)
    return RenderedQuery(text: text, arguments: renderer.arguments)
  }
}

/// Writes an expression in Realm Query Language; constants become arguments.
private struct QueryRenderer {
  var arguments: [QueryArgument] = []

  mutating func render(_ node: QueryNode) -> String {
    switch node {
    case .path(let names): return names.joined(separator: ".")
    case .any(let inner): return "ANY " + render(inner)
    case .count(let inner): return render(inner) + ".@count"
    case .constant(let value): return add(QueryArgument(value))
    case .constants(let values): return add(QueryArgument(list: values))
    case .comparison(let left, "BETWEEN", .constants(let bounds)):
      let limits = bounds.map { add(QueryArgument($0)) }
      return "(\(render(left)) BETWEEN {\(limits.joined(separator: ", "))})"
    case .comparison(let left, let comparison, let right):
      let leftText = render(left)
      return "(\(leftText) \(comparison) \(render(right)))"
    case .and(let left, let right):
      let leftText = render(left)
      return "(\(leftText) && \(render(right)))"
    case .or(let left, let right):
      let leftText = render(left)
      return "(\(leftText) || \(render(right)))"
    case .not(let inner): return "NOT \(render(inner))"
    }
  }

  private mutating func add(_ argument: QueryArgument) -> String {
    arguments.append(argument)
    return "$\(arguments.count - 1)"
  }
}
