// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Many parts that are looked for in one text, in one call: SQLite takes long to prepare a statement with thousands of
  /// terms, which nothing interrupts, and to try them one after another on each object.
  ///
  /// - Returns: nil for any other comparison.
  mutating func compileParts(
    _ comparison: Comparison,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment? {
    guard let search = PartSearch(comparison) else { return nil }
    let isExact = isExact || search.isNegated
    let text = try column(search.path).value
    let parts = SQLFragment("?", bindings: [.parts(search.parts)])
    var tests = [exactly("\(raw: SQLFunction.anyPart)(\(text), \(parts))", isExact)]
    if let rest = search.rest { tests.append(try compile(rest, isExact: isExact)) }
    let holds = SQLFragment.joined(tests, by: "OR")
    return search.isNegated ? "NOT (\(holds))" : holds
  }
}
