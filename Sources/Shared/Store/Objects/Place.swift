// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// A place that a write changes: a property of a top-level or embedded object, and the steps from there into its value:
/// an index into a list, a key of a dictionary, or a path inside a mixed value.
public struct Place {
  public let column: Column
  public let row: Int64
  public let steps: ArraySlice<PathElement>

  public init(_ column: Column, row: Int64, _ steps: ArraySlice<PathElement> = []) {
    self.column = column
    self.row = row
    self.steps = steps
  }

  /// Returns a place inside the value in this one.
  public func appending(_ more: [PathElement]) -> Place {
    more.isEmpty ? self : Place(column, row: row, steps + more)
  }

  /// The index of the list element in this place.
  ///
  /// - Throws: `ObjectError.Reason.wrongPath`.
  package func index() throws -> Int {
    let name = column.schema.name
    guard column.isList else { throw ObjectError(.wrongPath("'\(name)' is not a list")) }
    guard steps.count == 1, case .index(let index)? = steps.first else {
      throw ObjectError(.wrongPath("a path into '\(name)' must end in an index"))
    }
    return Int(index)
  }

  /// The key of the dictionary entry in this place.
  ///
  /// - Throws: `ObjectError.Reason.wrongPath`.
  package func key() throws -> String {
    guard steps.count == 1, case .name(let key)? = steps.first else {
      throw ObjectError(.wrongPath("a path into '\(column.schema.name)' must end in a key"))
    }
    return key
  }

  /// Checks that the place is a collection of that kind.
  ///
  /// - Throws: `ObjectError.Reason.wrongPath`.
  func require(_ kind: CollectionKind) throws {
    guard steps.isEmpty, !column.isSingle, kind == column.schema.collection else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is not a \(kind)"))
    }
  }
}
