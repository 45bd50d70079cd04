// SPDX-License-Identifier: Apache-2.0

extension Parser {
  /// Parses SORT, DISTINCT or LIMIT after a predicate.
  mutating func clause() throws(QueryError) -> SyntaxClause {
    switch current {
    case .sort: return try sortClause()
    case .distinct: return try distinctClause()
    case .limit: return try limitClause()
    default: throw unexpected(expecting: "end of file")
    }
  }

  private mutating func sortClause() throws(QueryError) -> SyntaxClause {
    try beginArguments()
    var keys: [(path: SyntaxPath, ascending: Bool)] = []
    repeat {
      let path = try path()
      guard current == .ascending || current == .descending else {
        throw unexpected(expecting: "ASC or DESC")
      }
      keys.append((path, current == .ascending))
      advance()
    } while accept(.comma)
    try expect(.rightParenthesis)
    return .sort(keys)
  }

  private mutating func distinctClause() throws(QueryError) -> SyntaxClause {
    try beginArguments()
    var paths: [SyntaxPath] = []
    repeat { paths.append(try path()) } while accept(.comma)
    try expect(.rightParenthesis)
    return .distinct(paths)
  }

  private mutating func limitClause() throws(QueryError) -> SyntaxClause {
    try beginArguments()
    guard current == .natural else { throw unexpected(expecting: "natural number") }
    let count = takeNumber(after: 0)
    try expect(.rightParenthesis)
    return .limit(count)
  }

  /// Skips a word and the parenthesis after it.
  private mutating func beginArguments() throws(QueryError) {
    advance()
    try expect(.leftParenthesis)
  }

  /// Parses a text that consists of a shape only.
  static func geometry(_ text: String) throws(QueryError) -> SyntaxGeometry {
    guard text.utf8.count <= Query.maximumByteCount else {
      throw QueryError(.limit, "The shape is too long: \(text.utf8.count) bytes")
    }
    var parser = try Parser(text)
    guard parser.current != .argument else { throw parser.unexpected(expecting: "a shape") }
    let geometry = try parser.geometry()
    guard parser.current == .end else { throw parser.unexpected(expecting: "end of file") }
    return geometry
  }

  /// Parses the right side of GEOWITHIN.
  mutating func geometry() throws(QueryError) -> SyntaxGeometry {
    switch current {
    case .argument: return .argument(takeNumber(after: 1))
    case .geoBox: return try geoBox()
    case .geoCircle: return try geoCircle()
    case .geoPolygon: return try geoPolygon()
    default: throw unexpected(expecting: "geoBox, geoPolygon, geoCircle or an argument")
    }
  }

  private mutating func geoBox() throws(QueryError) -> SyntaxGeometry {
    try beginArguments()
    let first = try geoPoint()
    try expect(.comma)
    let second = try geoPoint()
    try expect(.rightParenthesis)
    return .box(first, second)
  }

  private mutating func geoCircle() throws(QueryError) -> SyntaxGeometry {
    try beginArguments()
    let center = try geoPoint()
    try expect(.comma)
    let radius = try coordinate()
    try expect(.rightParenthesis)
    return .circle(center, radius: radius)
  }

  private mutating func geoPolygon() throws(QueryError) -> SyntaxGeometry {
    try beginArguments()
    var loops: [[SyntaxGeoPoint]] = []
    repeat {
      try expect(.leftBrace)
      var loop: [SyntaxGeoPoint] = []
      repeat { loop.append(try geoPoint()) } while accept(.comma)
      try expect(.rightBrace)
      loops.append(loop)
    } while accept(.comma)
    try expect(.rightParenthesis)
    return .polygon(loops)
  }

  private mutating func geoPoint() throws(QueryError) -> SyntaxGeoPoint {
    try expect(.leftBracket)
    let longitude = try coordinate()
    try expect(.comma)
    let latitude = try coordinate()
    var altitude: SyntaxCoordinate?
    if accept(.comma) {
      guard current == .float || allowsSignedCoordinates else { throw unexpected(expecting: "float") }
      altitude = try coordinate()
    }
    try expect(.rightBracket)
    return SyntaxGeoPoint(longitude: longitude, latitude: latitude, altitude: altitude)
  }

  private mutating func coordinate() throws(QueryError) -> SyntaxCoordinate {
    if current == .argument { return .argument(takeNumber(after: 1)) }
    let isSigned = current == .number && allowsSignedCoordinates
    guard current == .float || current == .natural || isSigned else { throw unexpected(expecting: "float") }
    let text = currentText
    guard let number = Double(text.last == "f" ? String(text.dropLast()) : text) else { throw unexpected() }
    advance()
    return .number(number)
  }
}
