// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// The links of one property that lead to an object. They restrict results to the objects that hold them.
struct Backlinks {
  let target: ManagedObject
  let origin: Column

  /// Returns the objects of the origin's class that link to an object, in order of insertion.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_CLASS, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  static func results(
    to target: ManagedObject,
    from originKey: flx_class_key_t,
    _ property: flx_property_key_t
  ) throws -> Results {
    let realm = target.realm
    _ = try target.currentValues()
    let info = try realm.schema.requireClass(originKey)
    let column = try info.column(property)
    guard column.schema.linkTarget == target.info.name else {
      throw CoreError(
        .typeMismatch,
        "The property '\(column.path)' does not link to '\(target.info.name)'."
      )
    }
    let backlinks = Backlinks(target: target, origin: column)
    guard !column.isEmbedded else {
      // Only one object holds it, which `rows` looks up: queries cannot name embedded objects.
      return Results(realm, info, BoundQuery(className: info.name, predicate: .always), backlinks: backlinks)
    }
    // Not from a text, because the name of a property may have characters that queries cannot.
    var path = PropertyPath(column.schema, of: info.name)
    if !column.isSingle { path.quantifier = .any }
    let link = Value.link(Link(className: target.info.name, key: try target.primaryKey()))
    let condition = Predicate.comparison(Comparison(.path(path), .equal, .constant(link)))
    return Results(realm, info, BoundQuery(className: info.name, predicate: condition), backlinks: backlinks)
  }

  /// Returns the rows that a query finds, each repeated as often as it links to the target; none if the target was
  /// deleted.
  ///
  /// - Parameter find: finds the rows.
  func rows(_ query: BoundQuery, _ find: () throws -> [Int64]) throws -> [Int64] {
    guard target.isValid else { return [] }
    if origin.isEmbedded {
      let owner = try target.realm.store.owner(of: target.row, in: target.info.table)
      guard owner.column.path == origin.path else { return [] }
      let isEverything = query.predicate == .always && query.options.isEmpty
      return isEverything ? [owner.row] : try find().filter { $0 == owner.row }
    }
    let rows = try find()
    guard !origin.isSingle else { return rows }
    let object = try target.reference()
    var counts: [Int64: Int] = [:]
    for row in try target.realm.store.backlinkRows(to: object, from: origin) { counts[row, default: 0] += 1 }
    return rows.flatMap { repeatElement($0, count: counts[$0] ?? 0) }
  }
}
