// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A value that a storage binds to a placeholder.
public enum SQLBinding: Hashable, Sendable {
  /// A column value. Timestamps never occur, because they are bound as two integers. A link is bound as its target's
  /// primary key.
  case value(Value)
  /// A condition on objects of a class: the first argument of `SQLRowFunction.holds`.
  case predicate(Predicate, of: String, DanglingLinks)
  /// A path from a class: the first argument of `SQLRowFunction.key`.
  case path(PropertyPath, of: String)
  /// Parts of which a text must contain at least one: the second argument of `SQLFunction.anyPart`.
  case parts(TextParts)
}

/// A piece of SQL text and the values of its `?` placeholders, in order.
public struct SQLFragment: Hashable, Sendable {
  public var text: String
  public var bindings: [SQLBinding]

  public init(_ text: String = "", bindings: [SQLBinding] = []) {
    self.text = text
    self.bindings = bindings
  }
}

extension SQLFragment: ExpressibleByStringInterpolation {
  /// Builds a fragment from text and other fragments.
  public struct StringInterpolation: StringInterpolationProtocol {
    var fragment = SQLFragment()

    public init(literalCapacity: Int, interpolationCount: Int) {
      fragment.text.reserveCapacity(literalCapacity)
    }

    public mutating func appendLiteral(_ literal: String) { fragment.text += literal }

    public mutating func appendInterpolation(_ other: SQLFragment) {
      fragment.text += other.text
      fragment.bindings += other.bindings
    }

    /// Appends names and keywords. Never pass values.
    public mutating func appendInterpolation(raw text: String) { fragment.text += text }
  }

  public init(stringLiteral value: String) { self.init(value) }

  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }
}

extension SQLFragment {
  static let isTrue: SQLFragment = "1"
  static let isFalse: SQLFragment = "0"

  /// Joins conditions by AND or OR in a balanced tree, because SQLite limits the depth of an expression to 1000.
  static func joined(_ fragments: some Collection<SQLFragment>, by word: String) -> SQLFragment {
    guard fragments.count > 1 else { return fragments.first ?? "" }
    if fragments.count <= 32 { return "(\(fragments.separated(by: " \(word) ")))" }
    let middle = fragments.index(fragments.startIndex, offsetBy: fragments.count / 2)
    return
      "(\(joined(fragments[..<middle], by: word)) \(raw: word) \(joined(fragments[middle...], by: word)))"
  }
}

extension Sequence<SQLFragment> {
  /// Concatenates the fragments with `separator` between them.
  func separated(by separator: String) -> SQLFragment {
    var result = SQLFragment()
    var isFirst = true
    for fragment in self {
      if !isFirst { result.text += separator }
      isFirst = false
      result.text += fragment.text
      result.bindings += fragment.bindings
    }
    return result
  }
}
