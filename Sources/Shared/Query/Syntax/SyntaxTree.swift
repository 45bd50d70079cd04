// SPDX-License-Identifier: Apache-2.0

/// A condition as written (QueryLanguage §2).
indirect enum SyntaxPredicate: Sendable {
  case always
  case never
  case and([SyntaxPredicate])
  case or([SyntaxPredicate])
  case not(SyntaxPredicate)
  case comparison(SyntaxComparison)
  case between(SyntaxExpression, SyntaxList)
  case geoWithin(SyntaxPath, SyntaxGeometry)
}

/// Two expressions and the operator between them.
struct SyntaxComparison: Sendable {
  enum Operator: Hashable, Sendable {
    case equal, notEqual, membership, less, lessOrEqual, greater, greaterOrEqual
    case beginsWith, endsWith, contains, like, text
  }

  let left: SyntaxExpression
  let `operator`: Operator
  let ignoresCase: Bool
  var ignoresDiacritics = false
  let right: SyntaxExpression
}

/// A value as written: a constant, a path, or something computed from them.
indirect enum SyntaxExpression: Sendable {
  case constant(SyntaxConstant)
  case list(SyntaxList)
  case path(SyntaxPath)
  case aggregate(SyntaxPath, AggregateFunction, of: String?)
  case subquery(SyntaxPath, variable: String, SyntaxPredicate)
  case arithmetic(ArithmeticOperator, SyntaxExpression, SyntaxExpression)
}

/// A literal or an argument.
indirect enum SyntaxConstant: Sendable {
  /// A number, word, date or identifier; the text as written, for strings without the quotes.
  case literal(Token.Kind, String)
  case argument(Int, Quantifier?)
  case object(className: String, key: SyntaxConstant)
  case binary(SyntaxConstant)
}

/// `{a, b}` with an optional quantifier.
struct SyntaxList: Sendable {
  let quantifier: Quantifier?
  let elements: [SyntaxConstant]
}

/// A key path, with an optional quantifier before it and an optional measure after it.
struct SyntaxPath: Sendable {
  enum Element: Sendable, Hashable {
    case name(String)
    case keyPathArgument(Int)
    case index(Int)
    case last
    case every
    case key(String)
    case argument(Int)
  }

  /// The aspect of the value at the end of the path that is compared.
  enum Measure: Sendable {
    case value, size, type
  }

  var quantifier: Quantifier?
  var elements: [Element]
  var measure = Measure.value
}

/// A clause after the predicate.
enum SyntaxClause: Sendable {
  case sort([(path: SyntaxPath, ascending: Bool)])
  case distinct([SyntaxPath])
  case limit(Int)
}

/// The right side of `GEOWITHIN`.
enum SyntaxGeometry: Sendable {
  case argument(Int)
  case box(SyntaxGeoPoint, SyntaxGeoPoint)
  case circle(SyntaxGeoPoint, radius: SyntaxCoordinate)
  case polygon([[SyntaxGeoPoint]])
}

/// Longitude, latitude and optionally altitude.
struct SyntaxGeoPoint: Sendable {
  let longitude: SyntaxCoordinate
  let latitude: SyntaxCoordinate
  let altitude: SyntaxCoordinate?
}

/// A number, or an argument that supplies one.
enum SyntaxCoordinate: Sendable {
  case number(Double)
  case argument(Int)
}
