// SPDX-License-Identifier: Apache-2.0

/// The reason a query was rejected, worded for its author.
public struct QueryError: Error, Hashable, Sendable {
  /// The category of the failure (QueryLanguage §3).
  public enum Kind: Hashable, Sendable {
    /// The text does not follow the grammar.
    case syntax
    /// The text is well formed, but does not fit the schema or the types.
    case query
    /// An argument is missing or has a type that does not fit its position.
    case argument
    /// A sort or distinct clause names something that cannot be sorted or compared for equality.
    case sort
    /// The operation requires something that the property lacks, such as a full-text index.
    case operation
    /// The query is legal, but this version cannot bind or compile it yet.
    case unsupported
    /// The text is larger or nested deeper than the limits allow.
    case limit
  }

  public let kind: Kind
  /// A description of the problem and its location.
  public let message: String
  /// The byte offset in the UTF-8 text where the problem starts; nil if there is no such place.
  public let position: Int?

  public init(_ kind: Kind, _ message: String, position: Int? = nil) {
    self.kind = kind
    self.message = message
    self.position = position
  }

  /// Returns a grammar error in the form `Invalid predicate: '<query>': <detail>`.
  static func syntax(_ text: String, _ detail: String, position: Int?) -> QueryError {
    QueryError(.syntax, "Invalid predicate: '\(text)': \(detail)", position: position)
  }

  static func query(_ message: String) -> QueryError { QueryError(.query, message) }

  static func argument(_ message: String) -> QueryError { QueryError(.argument, message) }

  static func unsupported(_ construct: String) -> QueryError {
    QueryError(.unsupported, "\(construct) is not supported yet")
  }
}

extension QueryError: CustomStringConvertible {
  public var description: String { message }
}
