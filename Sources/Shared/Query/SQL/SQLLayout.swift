// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Where a storage keeps the objects that the compiler writes SQL for.
///
/// All names come quoted, ready to be put into SQL text. A class is one table with the row identity `flx_row`; a single
/// property is one column, a timestamp two; a list is a table with the columns `owner`, `ordinal` (ascending, with
/// gaps), `value` and, for timestamps, `value_ns`. A set has the same columns apart from `ordinal`, a dictionary has
/// `key` in its place.
public protocol SQLLayout {
  func table(of className: String) -> String

  /// The column that a link to the class refers to.
  func primaryKeyColumn(of className: String) -> String

  /// For timestamps, the seconds.
  func column(_ property: String, of className: String) -> String

  func nanosecondsColumn(_ property: String, of className: String) -> String

  /// The table of a list, set or dictionary.
  func collectionTable(_ property: String, of className: String) -> String

  /// The properties whose links lead to a class, with the classes that declare them; nil if values of type mixed may
  /// hold such links, too.
  func incomingLinks(to className: String) -> [(owner: String, property: PropertySchema)]?

  /// Whether the primary key may be null. What links to such a class is not searched in SQL.
  func isKeyNullable(of className: String) -> Bool
}

/// The SQL functions that compiled queries call. A storage registers each under its name, as a deterministic function
/// of two arguments: null if one of them is null, 0 if one is TEXT and the other BLOB, else 1 or 0 as `holds` says.
public enum SQLFunction: String, CaseIterable, Sendable {
  case equalIgnoringCase = "flx_equal_ci"
  case contains = "flx_contains"
  case containsIgnoringCase = "flx_contains_ci"
  case beginsIgnoringCase = "flx_begins_ci"
  case endsIgnoringCase = "flx_ends_ci"
  case like = "flx_like"
  case likeIgnoringCase = "flx_like_ci"

  public var name: String { rawValue }

  /// The function that looks for many parts at once: null if the text is null, else 1 if one of the parts, which it gets as
  /// a pointer (`SQLBinding.parts`), stands in it, else 0.
  public static let anyPart = "flx_any_part"

  /// - Parameters:
  ///   - text: The bytes of the first argument.
  ///   - other: The bytes of the second argument: the part that is looked for, or the pattern.
  public func holds(_ text: TextMatching.Bytes, _ other: TextMatching.Bytes) -> Bool {
    switch self {
    case .equalIgnoringCase: TextMatching.equalsIgnoringCase(text, other)
    case .contains: TextMatching.contains(text, other)
    case .containsIgnoringCase: TextMatching.containsIgnoringCase(text, other)
    case .beginsIgnoringCase: TextMatching.beginsIgnoringCase(text, other)
    case .endsIgnoringCase: TextMatching.endsIgnoringCase(text, other)
    case .like: TextMatching.isLike(text, other, ignoresCase: false)
    case .likeIgnoringCase: TextMatching.isLike(text, other, ignoresCase: true)
    }
  }
}
