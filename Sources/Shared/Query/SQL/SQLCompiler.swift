// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Compiles predicates to SQLite conditions that hold for exactly the rows that `Predicate.matches` accepts.
///
/// A condition is compiled in one of two modes. A *filter* may evaluate to null where it does not hold, which keeps
/// columns bare so that indexes can serve them. Under NOT a condition is *exact*: 1 or 0, never null. What SQL cannot
/// express becomes a call to `SQLRowFunction.holds`, which is exact.
public struct SQLCompiler {
  /// The alias of the queried table in the statement: `… FROM <table> AS t0 WHERE …`.
  public static let rootAlias = "t0"

  let layout: any SQLLayout
  /// The object that the current part of the condition applies to: the queried object, or one of a subquery.
  var root: SQLRoot
  /// The current nesting depth.
  var depth = 0
  /// Whether values are written into the text, for queries with more values than SQLite has placeholders.
  let writesLiterals: Bool
  let danglingLinks: DanglingLinks
  private var aliasCount = 0

  /// SQLite's limits, minus a margin for the rest of the statement.
  private static let maximumBindingCount = 32_000
  private static let maximumByteCount = 900_000
  /// The maximum depth. Deeper nesting overflows the stack of SQLite's parser or exceeds its expression limit.
  static let maximumDepth = 12
  static let maximumLinkCount = 20

  init(
    _ className: String,
    layout: any SQLLayout,
    writesLiterals: Bool = false,
    danglingLinks: DanglingLinks = .asNull
  ) {
    root = SQLRoot(alias: Self.rootAlias, className: className)
    self.layout = layout
    self.writesLiterals = writesLiterals
    self.danglingLinks = danglingLinks
  }

  /// Returns the condition of a WHERE clause on the table of a class.
  ///
  /// - Parameters:
  ///   - predicate: The predicate. If dangling links count as null, its link constants must lead to existing objects;
  ///     replace others with null.
  ///   - danglingLinks: The treatment of links whose target does not exist.
  public static func condition(
    _ predicate: Predicate,
    on className: String,
    layout: some SQLLayout,
    danglingLinks: DanglingLinks = .asNull
  ) -> SQLFragment {
    let predicate = predicate.withGatheredParts
    var compiler = SQLCompiler(className, layout: layout, danglingLinks: danglingLinks)
    let fragment = compiler.condition(predicate, isExact: false)
    if fits(fragment) { return fragment }
    compiler = SQLCompiler(className, layout: layout, writesLiterals: true, danglingLinks: danglingLinks)
    let written = compiler.condition(predicate, isExact: false)
    return fits(written) ? written : compiler.residual(predicate)
  }

  private static func fits(_ fragment: SQLFragment) -> Bool {
    fragment.bindings.count <= maximumBindingCount && fragment.text.utf8.count <= maximumByteCount
  }

  mutating func condition(_ predicate: Predicate, isExact: Bool) -> SQLFragment {
    expressed(predicate, isExact: isExact) ?? residual(predicate)
  }

  /// Returns a condition in SQL, in which individual parts may call the evaluator, or nil if that would be all of it.
  private mutating func expressed(_ predicate: Predicate, isExact: Bool) -> SQLFragment? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { return nil }
    switch predicate {
    case .always: return .isTrue
    case .never: return .isFalse
    case .and(let conditions): return joined(conditions, by: "AND", Predicate.all, isExact)
    case .or(let conditions): return joined(conditions, by: "OR", Predicate.any, isExact)
    case .not(let condition):
      return expressed(condition, isExact: true).map { "NOT (\($0))" }
    case .geoWithin: return nil
    case .comparison(let comparison):
      do throws(Inexpressible) {
        return try compile(comparison, isExact: isExact)
      } catch {
        return nil
      }
    }
  }

  /// Combines the parts that SQL cannot express into one call, so that each object is evaluated only once.
  private mutating func joined(
    _ conditions: [Predicate],
    by word: String,
    _ combine: ([Predicate]) -> Predicate,
    _ isExact: Bool
  ) -> SQLFragment? {
    var fragments: [SQLFragment] = []
    var rest: [Predicate] = []
    for condition in conditions {
      if let fragment = expressed(condition, isExact: isExact) {
        fragments.append(fragment)
      } else {
        rest.append(condition)
      }
    }
    guard !fragments.isEmpty else { return nil }
    if !rest.isEmpty { fragments.append(residual(combine(rest))) }
    return .joined(fragments, by: word)
  }

  func residual(_ predicate: Predicate) -> SQLFragment {
    call(.holds, on: .predicate(predicate, of: root.className, danglingLinks))
  }

  func call(_ function: SQLRowFunction, on binding: SQLBinding) -> SQLFragment {
    SQLFragment("\(function.name)(?, \(root.alias).flx_row)", bindings: [binding])
  }

  /// Returns a new alias for a table in the statement.
  mutating func alias() -> String {
    aliasCount += 1
    return "q\(aliasCount)"
  }

  /// Returns a placeholder, or the value as a literal.
  func bind(_ value: Value) -> SQLFragment {
    guard writesLiterals else { return SQLFragment("?", bindings: [.value(value)]) }
    return SQLLiteral.of(value).map { SQLFragment($0) } ?? SQLFragment("?", bindings: [.value(value)])
  }
}

/// An object inside a statement: the alias of its table, and its class.
struct SQLRoot {
  let alias: String
  let className: String
}
