// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncQuery

/// A query bound to a class: `flx_query_t`. Immutable.
final class PreparedQuery: Sendable {
  private let schema: Schema
  private let className: String
  private let predicateText: String
  private let text: LentText
  /// Warnings about the query's use in a subscription.
  let warnings: [SyncQueryWarning]

  /// - Parameter allowsDiacritics: whether `[d]` and `[cd]` may follow an operator, which `validateForSync` refuses.
  /// - Throws: `QueryError`.
  init(
    _ query: String,
    className: String,
    schema: Schema,
    arguments: [QueryArgument],
    allowsDiacritics: Bool = false
  ) throws {
    self.schema = schema
    self.className = className
    // A subscription consists of the predicate, with the arguments substituted.
    let text: String
    (predicateText, text, warnings) = try RoomyStack.run {
      let bound = try Query.parse(query, allowsDiacritics: allowsDiacritics)
        .bind(to: schema, className: className, arguments: arguments)
      let warnings = SyncQueryWarning.warnings(about: bound.predicate)
      return (bound.predicate.canonicalText, bound.canonicalText, warnings)
    }
    self.text = LentText(text)
  }

  /// The canonical text, lent by this object.
  var canonicalText: flx_string_t { text.string }

  /// Checks the query as a server would for a subscription.
  ///
  /// - Parameter queryableFields: nil if unknown, which allows all properties of the class.
  /// - Throws: `CoreError` QUERY_INVALID.
  func validateForSync(queryableFields: Set<String>?) throws {
    let properties = schema[className]?.properties.map(\.name) ?? []
    let policy = SyncQueryPolicy(queryableFields: [className: queryableFields ?? Set(properties)])
    do {
      _ = try RoomyStack.run {
        try SyncQueryValidator(schema: schema, policy: policy).predicate(
          className: className,
          text: predicateText
        )
      }
    } catch let error as SyncQueryError {
      throw CoreError(.queryInvalid, error.message)
    }
  }
}
