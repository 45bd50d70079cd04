// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The SQL functions that look at a whole object, for what SQL cannot express. `FlexSyncStore` registers each under its
/// name, as a function of two arguments: a pointer to the condition or path (`SQLBinding`), and the `flx_row` of the
/// object.
public enum SQLRowFunction: String, CaseIterable, Sendable {
  /// 1 or 0: whether the object meets a predicate.
  case holds = "flx_holds"
  /// A blob that sorts as the value at the end of a path does (`SortKeyCoding`).
  case key = "flx_key"

  public var name: String { rawValue }
}

/// What has no exact form in SQL; the condition around it is evaluated row by row.
struct Inexpressible: Error {}
