// SPDX-License-Identifier: Apache-2.0

/// The entry point to the query language (RQL).
public enum Query {
  /// The size limit of a query text in bytes. Also applies to the query of a subscription.
  public static let maximumByteCount = 256 * 1024

  /// Parses a query text.
  ///
  /// - Throws: `QueryError` of kind `syntax`, or `limit` for a text of more than 256 kB or one that nests too deeply.
  ///
  /// - Parameter allowsDiacritics: whether `[d]` and `[cd]` may follow an operator, which the query language does not have.
  public static func parse(_ text: String, allowsDiacritics: Bool = false) throws(QueryError) -> ParsedQuery {
    try parse(text, allowsSignedCoordinates: false, allowsDiacritics: allowsDiacritics)
  }

  /// Parses a query text that may contain negative coordinates without a fraction. Realm's clients write `[-80,
  /// 40.5]` when they send a query, but reject it when they parse one.
  static func parse(
    _ text: String,
    allowsSignedCoordinates: Bool,
    allowsDiacritics: Bool = false
  ) throws(QueryError) -> ParsedQuery {
    guard text.utf8.count <= maximumByteCount else {
      throw QueryError(
        .limit,
        "The query has \(text.utf8.count) bytes; at most \(maximumByteCount) bytes are allowed"
      )
    }
    var parser = try Parser(
      text,
      allowsSignedCoordinates: allowsSignedCoordinates,
      allowsDiacritics: allowsDiacritics
    )
    let (predicate, clauses) = try parser.query()
    guard predicate.depth <= SyntaxDepth.maximum else { throw SyntaxDepth.error(position: nil) }
    return ParsedQuery(text: text, predicate: predicate, clauses: clauses)
  }
}

/// A query text that follows the grammar. Its names have not been resolved yet.
public struct ParsedQuery: Sendable {
  /// The text as passed to the parser.
  public let text: String
  let predicate: SyntaxPredicate
  let clauses: [SyntaxClause]
}
