// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// An error thrown for a query body that is not a JSON object of texts.
public struct QuerySetError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}

/// The queries of a subscription set in the form used on the wire: one text for each class (protocol §4.1).
public struct QuerySet: Hashable, Sendable {
  /// The queries by class name, in the order of the names' bytes.
  public let queries: [(className: String, query: String)]
  /// The text as sent on the wire.
  public let body: [UInt8]

  /// - Parameter queries: The text sent to the server for each class: its subscriptions, each in parentheses, sorted
  ///   and joined by ` OR `.
  public init(_ queries: [String: String]) { self.init(queries.map { (className: $0.key, query: $0.value) }) }

  private init(_ queries: [(className: String, query: String)]) {
    self.queries = queries.sorted { UTF8Order.isLess($0.className, $1.className) }
    let members = self.queries.map { JSON.Member($0.className, .string($0.query)) }
    body = Array(JSON.object(members).serialized.utf8)
  }

  /// Parses a body.
  public init(body: [UInt8]) throws(QuerySetError) {
    guard !QuerySet.isNested(body) else {
      throw QuerySetError(description: "Invalid query: the body has a query that is not a string")
    }
    let json: JSON
    do {
      json = try JSON.parse(body)
    } catch {
      throw QuerySetError(description: "Invalid query: the body is \(error)")
    }
    guard let members = json.objectValue else {
      throw QuerySetError(description: "Invalid query: the body is not a JSON object")
    }
    self.init(
      try members.map { member throws(QuerySetError) in
        guard let query = member.value.stringValue else {
          throw QuerySetError(description: "Invalid query: the query for '\(member.name)' is not a string")
        }
        return (className: member.name, query: query)
      }
    )
  }

  /// Whether a body contains an object or array inside another. It is then not one of texts, and need not be parsed.
  private static func isNested(_ body: [UInt8]) -> Bool {
    var isInside = false
    var isInString = false
    var isEscaped = false
    for byte in body {
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        if isInside { return true }
        isInside = true
      }
    }
    return false
  }

  /// A set without subscriptions, as in version 0.
  public static let empty = QuerySet([:])

  public static func == (left: QuerySet, right: QuerySet) -> Bool { left.body == right.body }

  public func hash(into hasher: inout Hasher) { hasher.combine(body) }
}
