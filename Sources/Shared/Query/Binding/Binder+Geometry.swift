// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Binds a GEOWITHIN condition. The path must lead to points, and the shape must be valid on the globe.
  func bind(_ syntax: SyntaxPath, within geometry: SyntaxGeometry) throws(QueryError) -> GeoWithin {
    let path = try resolve(syntax)
    guard path.type == .link, path.measure == .value, path.selectors.last != .keys, let target = path.target
    else {
      throw .query(
        "The left hand side of 'geoWithin' must be a link to geoJSON formatted data. But the provided type is "
          + "'\(path.type)'"
      )
    }
    guard schema[target]?.isPoint == true else {
      throw .query("Query '\(target)' links to data in the wrong format for a geoWithin query")
    }
    return GeoWithin(path, within: try shape(geometry))
  }

  private func shape(_ geometry: SyntaxGeometry) throws(QueryError) -> GeoShape {
    switch geometry {
    case .argument(let index): return try shape(try argument(at: index), index)
    case .box(let first, let second):
      return try checked(.box(try point(first), try point(second)))
    case .circle(let center, let radius):
      return try checked(.circle(center: try point(center), radius: try coordinate(radius)))
    case .polygon(let rings):
      let bound = try rings.map { ring throws(QueryError) in
        try ring.map { corner throws(QueryError) in try point(corner) }
      }
      return try checked(.polygon(bound))
    }
  }

  /// Returns the shape of an argument, which is a shape or the text of one.
  private func shape(_ argument: QueryArgument, _ index: Int) throws(QueryError) -> GeoShape {
    switch argument {
    case .shape(let shape): return try checked(shape)
    case .value(.string(let text)): return try shape(try Parser.geometry(text))
    case .value, .list, .keyPath:
      throw .query(
        "The right hand side of 'geoWithin' must be a geospatial constant value. But argument $\(index) is not one"
      )
    }
  }

  private func point(_ syntax: SyntaxGeoPoint) throws(QueryError) -> GeoPoint {
    var altitude: Double?
    if let written = syntax.altitude { altitude = try coordinate(written) }
    return GeoPoint(
      longitude: try coordinate(syntax.longitude),
      latitude: try coordinate(syntax.latitude),
      altitude: altitude
    )
  }

  private func coordinate(_ syntax: SyntaxCoordinate) throws(QueryError) -> Double {
    switch syntax {
    case .number(let number): return number
    case .argument(let index):
      switch try argument(at: index) {
      case .value(.double(let double)): return double
      case .value(.float(let float)): return Double(float)
      case .value(.int(let int)): return Double(int)
      default: throw .argument("Argument $\(index) is not a number, but a coordinate must be one")
      }
    }
  }

  private func checked(_ shape: GeoShape) throws(QueryError) -> GeoShape {
    guard let problem = shape.problem else { return shape }
    throw .argument(
      "Invalid region in GEOWITHIN query for parameter '\(CanonicalText.of(shape))': '\(problem)'"
    )
  }
}
