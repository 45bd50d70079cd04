// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Writes predicates as SQLite conditions that hold for exactly the rows for which `Predicate.matches` does.
///
/// A condition is written in one of two modes. As a *filter* it may come out null where it does not hold, which keeps
/// columns bare so that indexes serve them. Under NOT it is *exact*: 1 or 0, never null. What SQL cannot express
/// becomes a call of `SQLRowFunction.holds`, which is exact.
public struct SQLCompiler {
  /// How the queried table is called in the statement: `… FROM <table> AS t0 WHERE …`.
  public static let rootAlias = "t0"

  let layout: any SQLLayout
  /// The object that the condition is about at the present place: the queried one, or one of a subquery.
  var root: SQLRoot
  /// How deep the present place is nested.
  var depth = 0
  /// Values are written into the text, for queries with more of them than SQLite has placeholders.
  let writesLiterals: Bool
  let danglingLinks: DanglingLinks
  private var aliasCount = 0

  /// SQLite's limits, with room for what a statement adds.
  private static let maximumBindingCount = 32_000
  private static let maximumByteCount = 900_000
  /// What is nested deeper overflows the stack of SQLite's parser, or the limit for expressions.
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

  /// The condition of a WHERE clause on the table of a class.
  ///
  /// - Parameters:
  ///   - predicate: Where dangling links count as null, its constants that are links lead to objects that exist; null
  ///     stands for others.
  ///   - danglingLinks: what links without target count as.
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

  /// A condition in SQL, apart from single parts that have no form in it; nil if that is all of it.
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

  /// The parts that SQL does not express go into one call, so that an object is looked at once.
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

  /// A new name for a table in the statement.
  mutating func alias() -> String {
    aliasCount += 1
    return "q\(aliasCount)"
  }

  /// A placeholder, or the value itself.
  func bind(_ value: Value) -> SQLFragment {
    guard writesLiterals else { return SQLFragment("?", bindings: [.value(value)]) }
    return SQLLiteral.of(value).map { SQLFragment($0) } ?? SQLFragment("?", bindings: [.value(value)])
  }
}

/// An object inside a statement: the name of its table there, and its class.
struct SQLRoot {
  let alias: String
  let className: String
}
