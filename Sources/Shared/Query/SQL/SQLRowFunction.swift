// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The SQL functions that evaluate an entire object, for conditions that SQL cannot express. `FlexSyncStore`
/// registers each under its name as a function of two arguments: a pointer to the condition or path (`SQLBinding`),
/// and the object's `flx_row`.
public enum SQLRowFunction: String, CaseIterable, Sendable {
  /// Returns 1 or 0: whether the object meets a predicate.
  case holds = "flx_holds"
  /// Returns a blob that sorts like the value at the end of a path (`SortKeyCoding`).
  case key = "flx_key"

  public var name: String { rawValue }
}

/// An error thrown for anything without an exact form in SQL. The enclosing condition is then evaluated row by row.
struct Inexpressible: Error {}
