// SPDX-License-Identifier: Apache-2.0

/// One word or symbol of a query text.
struct Token {
  enum Kind: Hashable {
    case end
    case plus, minus, star, slash
    case leftBracket, rightBracket, leftParenthesis, rightParenthesis, leftBrace, rightBrace, comma, dot
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case membership, and, or, not, any, all, none
    case beginsWith, endsWith, contains, like, text, between, geoWithin
    case truePredicate, falsePredicate, sort, distinct, limit, ascending, descending
    case binary, object, subquery, geoBox, geoPolygon, geoCircle
    case size, maximum, minimum, sum, average, backlinks, type, keysOrValues
    case first, last, sizeIndex, caseInsensitive, diacriticInsensitive, caseAndDiacriticInsensitive
    case trueConstant, falseConstant, infinity, notANumber, null
    case natural, number, float, string, base64, timestamp, uuid, objectId, link, typedLink
    case argument, keyPathArgument, identifier
  }

  let kind: Kind
  /// The token's byte range in the UTF-8 query text.
  let range: Range<Int>
}

extension Token.Kind {
  /// Whether the token is a keyword that may also name a property (QueryLanguage §1).
  var mayBeIdentifier: Bool {
    switch self {
    case .identifier, .backlinks, .beginsWith, .endsWith, .contains, .like, .between, .keysOrValues, .sort,
      .distinct, .limit, .ascending, .descending, .membership, .text, .binary, .first, .last, .sizeIndex:
      true
    default: false
    }
  }

  /// The name of the token in messages.
  var name: String {
    switch self {
    case .end: "end of file"
    case .natural: "natural number"
    case .sizeIndex: "SIZE"
    case .trueConstant: "true"
    case .falseConstant: "false"
    case .notANumber: "NaN"
    case .objectId: "object id"
    case .keyPathArgument: "key path argument"
    case .typedLink: "typed link"
    case .object: "obj"
    default: Token.signs[self] ?? String(describing: self)
    }
  }
}

extension Token {
  /// Words that are recognised in any mix of upper and lower case.
  static let wordsOfAnyCase: KeyValuePairs<StaticString, Kind> = [
    "and": .and, "or": .or, "beginswith": .beginsWith, "endswith": .endsWith, "contains": .contains,
    "text": .text, "like": .like, "between": .between, "geowithin": .geoWithin,
    "truepredicate": .truePredicate, "falsepredicate": .falsePredicate, "sort": .sort,
    "distinct": .distinct, "limit": .limit, "bin": .binary, "binary": .binary, "obj": .object,
    "ascending": .ascending, "asc": .ascending, "descending": .descending, "desc": .descending,
    "subquery": .subquery, "geobox": .geoBox, "geopolygon": .geoPolygon, "geocircle": .geoCircle,
    "inf": .infinity, "infinity": .infinity, "nan": .notANumber, "null": .null, "nil": .null,
  ]

  /// Words that are recognised only in these spellings.
  static let exactWords: KeyValuePairs<StaticString, Kind> = [
    "in": .membership, "IN": .membership, "not": .not, "NOT": .not, "any": .any, "ANY": .any,
    "some": .any, "SOME": .any, "all": .all, "ALL": .all, "none": .none, "NONE": .none, "FIRST": .first,
    "first": .first, "LAST": .last, "last": .last, "SIZE": .sizeIndex, "size": .sizeIndex,
    "true": .trueConstant, "TRUE": .trueConstant, "false": .falseConstant, "FALSE": .falseConstant,
  ]

  /// Words that follow an at sign. The longest one that matches is used.
  static let collectionWords: [String: Kind] = [
    "@size": .size, "@count": .size, "@max": .maximum, "@min": .minimum, "@sum": .sum, "@avg": .average,
    "@links": .backlinks, "@type": .type, "@keys": .keysOrValues, "@values": .keysOrValues,
  ]

  static let signs: [Kind: String] = [
    .plus: "'+'", .minus: "'-'", .star: "'*'", .slash: "'/'", .leftBracket: "'['", .rightBracket: "']'",
    .leftParenthesis: "'('", .rightParenthesis: "')'", .leftBrace: "'{'", .rightBrace: "'}'", .comma: "','",
    .dot: "'.'", .equal: "==", .notEqual: "!=", .less: "<", .lessOrEqual: "<=", .greater: ">",
    .greaterOrEqual: ">=", .membership: "IN", .and: "AND", .or: "OR", .not: "NOT", .size: "@count",
    .maximum: "@max", .minimum: "@min", .sum: "@sum", .average: "@avg", .backlinks: "@links",
    .type: "@type", .keysOrValues: "@keys or @values", .caseInsensitive: "[c]",
    .diacriticInsensitive: "[d]", .caseAndDiacriticInsensitive: "[cd]",
  ]
}
