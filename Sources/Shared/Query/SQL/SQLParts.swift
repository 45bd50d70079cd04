// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Compiles the search for many parts in one text to a single call. SQLite takes long to prepare a statement with
  /// thousands of terms, which cannot be interrupted, and to evaluate them one by one for each object.
  ///
  /// - Returns: Nil for any other comparison.
  mutating func compileParts(_ comparison: Comparison, isExact: Bool) throws(Inexpressible) -> SQLFragment? {
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
