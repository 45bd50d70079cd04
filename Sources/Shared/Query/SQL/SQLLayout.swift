// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Describes where a storage keeps the objects that the compiler generates SQL for.
///
/// All names are already quoted for use in SQL text. A class is a table with the row identity `flx_row`. A
/// single-valued property is one column, a timestamp two. A list is a table with the columns `owner`, `ordinal`
/// (ascending, with gaps), `value` and, for timestamps, `value_ns`. A set has the same columns except `ordinal`; a
/// dictionary has `key` instead.
public protocol SQLLayout {
  func table(of className: String) -> String

  /// Returns the column that links to the class refer to.
  func primaryKeyColumn(of className: String) -> String

  /// Returns the column of a property. For timestamps, this is the column of the seconds.
  func column(_ property: String, of className: String) -> String

  func nanosecondsColumn(_ property: String, of className: String) -> String

  /// Returns the table of a list, set or dictionary.
  func collectionTable(_ property: String, of className: String) -> String

  /// Returns the properties whose links lead to a class, each with the class that declares it. Returns nil if values
  /// of type mixed may also hold such links.
  func incomingLinks(to className: String) -> [(owner: String, property: PropertySchema)]?

  /// Whether the primary key may be null. Links to such a class are not searched in SQL.
  func isKeyNullable(of className: String) -> Bool
}

/// The SQL functions that compiled queries call. A storage registers each under its name as a deterministic function
/// of two arguments. The result is null if either argument is null, 0 if one is TEXT and the other BLOB, and
/// otherwise the result of `holds` as 1 or 0.
public enum SQLFunction: String, CaseIterable, Sendable {
  case equalIgnoringCase = "flx_equal_ci"
  case contains = "flx_contains"
  case containsIgnoringCase = "flx_contains_ci"
  case beginsIgnoringCase = "flx_begins_ci"
  case endsIgnoringCase = "flx_ends_ci"
  case like = "flx_like"
  case likeIgnoringCase = "flx_like_ci"

  public var name: String { rawValue }

  /// The name of the function that searches for many parts at once. It receives the parts as a pointer
  /// (`SQLBinding.parts`). The result is null if the text is null, 1 if the text contains one of the parts, and
  /// otherwise 0.
  public static let anyPart = "flx_any_part"

  /// Whether the relation between the arguments holds.
  ///
  /// - Parameters:
  ///   - text: The bytes of the first argument.
  ///   - other: The bytes of the second argument: the part to search for, or the pattern.
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
