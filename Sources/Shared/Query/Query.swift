// SPDX-License-Identifier: Apache-2.0

/// The entrance to the query language (RQL).
public enum Query {
  /// The largest query text in bytes. Also the limit of a subscription's query.
  public static let maximumByteCount = 256 * 1024

  /// Reads a query text.
  ///
  /// - Throws: `QueryError` of kind `syntax`, or `limit` for a text of more than 256 kB or one that nests too deep.
  public static func parse(_ text: String) throws(QueryError) -> ParsedQuery {
    try parse(text, allowsSignedCoordinates: false)
  }

  /// Reads a query text, perhaps one in which coordinates are negative and without a fraction. Realm's clients write
  /// `[-80, 40.5]` when they send a query, and refuse it when they read one.
  static func parse(_ text: String, allowsSignedCoordinates: Bool) throws(QueryError) -> ParsedQuery {
    guard text.utf8.count <= maximumByteCount else {
      throw QueryError(
        .limit,
        "The query has \(text.utf8.count) bytes; at most \(maximumByteCount) bytes are allowed"
      )
    }
    var parser = try Parser(text, allowsSignedCoordinates: allowsSignedCoordinates)
    let (predicate, clauses) = try parser.query()
    guard predicate.depth <= SyntaxDepth.maximum else { throw SyntaxDepth.error(position: nil) }
    return ParsedQuery(text: text, predicate: predicate, clauses: clauses)
  }
}

/// A query text that follows the grammar; what its names mean is not yet known.
public struct ParsedQuery: Sendable {
  /// The text as given.
  public let text: String
  let predicate: SyntaxPredicate
  let clauses: [SyntaxClause]
}
