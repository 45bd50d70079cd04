// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Decides whether a server accepts a subscription's query, and binds it (QueryLanguage §10).
public struct SyncQueryValidator: Sendable {
  /// The maximum size of a class's query text in bytes. A policy may set a lower limit.
  public static let maximumByteCount = Query.maximumByteCount

  /// The maximum length of a LIKE pattern in bytes. With longer patterns, a single object could keep a server busy
  /// for seconds.
  public static let maximumPatternByteCount = LongPattern.longestMaskedSegment

  let schema: Schema
  let policy: SyncQueryPolicy

  public init(schema: Schema, policy: SyncQueryPolicy) {
    self.schema = schema
    self.policy = policy
  }

  /// Checks and binds the query of one class, as received in the body of QUERY or IDENT.
  ///
  /// - Throws: `SyncQueryError` with the message for the client.
  public func predicate(className: String, text: String) throws(SyncQueryError) -> Predicate {
    guard text.utf8.count <= policy.maximumByteCount else {
      throw SyncQueryError(
        .limitsExceeded,
        "query for table \"\(className)\" has \(text.utf8.count) bytes; a query may have at most "
          + "\(policy.maximumByteCount) bytes"
      )
    }
    let classSchema = try queryableClass(className)
    let parsed = try parse(text)
    try check(parsed, className)
    let predicate = try bind(parsed, className)
    try predicate.forEachComparison { (comparison) throws(SyncQueryError) in
      try check(comparison, classSchema)
    }
    try checkIndexedField(predicate, className)
    return predicate
  }

  private func queryableClass(_ className: String) throws(SyncQueryError) -> ClassSchema {
    guard let classSchema = schema[className], UTF8Order.areEqual(classSchema.name, className) else {
      throw unsupported(className, "the table does not exist")
    }
    switch classSchema.kind {
    case .topLevel: return classSchema
    case .embedded:
      throw unsupported(className, "embedded objects come with their parents and cannot be queried")
    case .asymmetric: throw unsupported(className, "objects of an asymmetric table cannot be queried")
    }
  }

  private func parse(_ text: String) throws(SyncQueryError) -> ParsedQuery {
    do throws(QueryError) {
      // So that the error names what a subscription cannot have, rather than a place in the text.
      return try Query.parse(text, allowsSignedCoordinates: true, allowsDiacritics: true)
    } catch {
      if error.kind == .limit { throw SyncQueryError(.limitsExceeded, error.message) }
      throw SyncQueryError(.invalidQuery, "Client provided query with bad syntax: \(error.message)")
    }
  }

  private func bind(_ parsed: ParsedQuery, _ className: String) throws(SyncQueryError) -> Predicate {
    do throws(QueryError) {
      return try parsed.bind(to: schema, className: className).predicate
    } catch {
      throw unsupported(className, error.message)
    }
  }

  func unsupported(_ className: String, _ reason: String) -> SyncQueryError {
    SyncQueryError(.invalidQuery, "Invalid query: unsupported query for table \"\(className)\": \(reason)")
  }

  private func check(_ comparison: Comparison, _ classSchema: ClassSchema) throws(SyncQueryError) {
    for path in comparison.paths {
      guard path.links.isEmpty else {
        throw unsupported(
          classSchema.name,
          "key \"\(CanonicalText.of(path))\" goes through a link or an embedded object; only fields of the table "
            + "itself can be queried"
        )
      }
    }
    try checkPattern(comparison, classSchema)
    guard comparison.left.isCollection && comparison.right.isCollection else { return }
    throw unsupported(classSchema.name, "a list cannot be compared with a list")
  }

  private func checkPattern(_ comparison: Comparison, _ classSchema: ClassSchema) throws(SyncQueryError) {
    guard comparison.operator == .like else { return }
    let patterns: [Value]
    switch comparison.right {
    case .constant(let pattern): patterns = [pattern]
    case .list(let list, _): patterns = list
    default: throw unsupported(classSchema.name, "the pattern of LIKE must be a constant")
    }
    let byteCount = patterns.map { $0.textBytes?.bytes.count ?? 0 }.max() ?? 0
    guard byteCount > Self.maximumPatternByteCount else { return }
    throw SyncQueryError(
      .limitsExceeded,
      "query for table \"\(classSchema.name)\" has a LIKE pattern of \(byteCount) bytes; a pattern may have at most "
        + "\(Self.maximumPatternByteCount) bytes"
    )
  }
}

extension Operand {
  /// Whether the operand is a list of constants or a property with many values.
  fileprivate var isCollection: Bool {
    switch self {
    case .constant: false
    case .list: true
    case .path(let path): path.isMultiple
    case .aggregate, .subquery, .arithmetic: false
    }
  }
}
