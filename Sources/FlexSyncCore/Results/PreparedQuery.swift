// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncQuery

/// A query that fits a class: `flx_query_t`. Immutable.
final class PreparedQuery: Sendable {
  private let schema: Schema
  private let className: String
  private let predicateText: String
  private let text: LentText
  /// What is unwise in a subscription to the query.
  let warnings: [SyncQueryWarning]

  /// - Throws: `QueryError`.
  init(_ text: String, className: String, schema: Schema, arguments: [QueryArgument]) throws {
    let bound = try Query.parse(text).bind(to: schema, className: className, arguments: arguments)
    self.schema = schema
    self.className = className
    // A subscription is made of the predicate, with the arguments in it.
    predicateText = bound.predicate.canonicalText
    self.text = LentText(bound.canonicalText)
    warnings = SyncQueryWarning.warnings(about: bound.predicate)
  }

  /// The canonical text, lent by this object.
  var canonicalText: flx_string_t { text.string }

  /// Checks the query as a server does that is asked to subscribe to it.
  ///
  /// - Parameter queryableFields: nil if they are not known.
  /// - Throws: `CoreError` QUERY_INVALID.
  func validateForSync(queryableFields: Set<String>?) throws {
    let properties = schema[className]?.properties.map(\.name) ?? []
    let policy = SyncQueryPolicy(queryableFields: [className: queryableFields ?? Set(properties)])
    do throws(SyncQueryError) {
      _ = try SyncQueryValidator(schema: schema, policy: policy).predicate(
        className: className,
        text: predicateText
      )
    } catch {
      throw CoreError(.FLX_STATUS_QUERY_INVALID, error.message)
    }
  }
}
