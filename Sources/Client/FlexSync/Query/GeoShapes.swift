// SPDX-License-Identifier: Apache-2.0

/// A point on the earth, in degrees.
public struct GeoPoint: Hashable, Sendable {
  public let latitude: Double
  public let longitude: Double
  /// The height above the ground in meters; ignored by queries.
  public let altitude: Double

  /// Creates a point. Nil if the latitude is not in −90…90, the longitude not in −180…180 or the altitude negative.
  public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Creates a point from a pair of latitude and longitude.
  fileprivate init?(_ pair: (Double, Double)) { self.init(latitude: pair.0, longitude: pair.1) }

  fileprivate var text: String { "[\(longitude), \(latitude)]" }
}

/// A distance on the earth, stored as an angle at its center.
public struct Distance: Hashable, Sendable, Comparable {
  private static let earthRadiusInMeters = 6_378_100.0
  private static let metersPerMile = 1_609.344

  public let radians: Double

  private init?(_ radians: Double) {
    guard radians >= 0 else { return nil }
    self.radians = radians
  }

  /// A distance in kilometers; nil for a negative or invalid number, as in the other units.
  public static func kilometers(_ kilometers: Double) -> Distance? {
    Distance(kilometers * 1000 / earthRadiusInMeters)
  }
  public static func miles(_ miles: Double) -> Distance? {
    Distance(miles * metersPerMile / earthRadiusInMeters)
  }
  public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * .pi / 180) }
  public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

  /// The distance in kilometers.
  public func asKilometers() -> Double { radians * Distance.earthRadiusInMeters / 1000 }
  /// The distance in miles.
  public func asMiles() -> Double { radians * Distance.earthRadiusInMeters / Distance.metersPerMile }
  /// The angle in degrees.
  public func asDegrees() -> Double { radians * 180 / .pi }

  public static func < (left: Distance, right: Distance) -> Bool { left.radians < right.radians }
}

/// An area of the earth's surface, for `geoWithin`.
public protocol GeoShape: Sendable {
  /// The shape in Realm Query Language.
  var queryText: String { get }
}

/// The area between two parallels and two meridians.
public struct GeoBox: GeoShape, Hashable {
  public let bottomLeft: GeoPoint
  public let topRight: GeoPoint

  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// Creates a box from pairs of coordinates. Nil if a corner is not a valid point.
  public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
    guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else { return nil }
    self.init(bottomLeft: bottomLeft, topRight: topRight)
  }

  public var queryText: String { "geoBox(\(bottomLeft.text), \(topRight.text))" }
}

/// The area within a distance of a point.
public struct GeoCircle: GeoShape, Hashable {
  public let center: GeoPoint
  public let radiusInRadians: Double

  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    radiusInRadians = radius.radians
  }

  /// Creates a circle. Nil for a negative radius.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// Creates a circle around a pair of coordinates. Nil if the center is not a valid point or the radius negative.
  public init?(center: (Double, Double), radiusInRadians: Double) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// Creates a circle around a pair of coordinates. Nil if the center is not a valid point.
  public init?(center: (Double, Double), radius: Distance) {
    self.init(center: center, radiusInRadians: radius.radians)
  }

  public var queryText: String { "geoCircle(\(center.text), \(radiusInRadians))" }
}

/// The area inside a ring of points, excluding the areas inside other rings.
public struct GeoPolygon: GeoShape, Hashable {
  public let outerRing: [GeoPoint]
  public let holes: [[GeoPoint]]

  /// Creates a polygon. Nil if a ring has fewer than three different points, or does not end where it begins.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
    guard ([outerRing] + holes).allSatisfy(GeoPolygon.isRing) else { return nil }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// Creates a polygon of pairs of coordinates. Nil if one is not a valid point, or as above.
  public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
    let rings = ([outerRing] + holes).map { $0.compactMap(GeoPoint.init) }
    guard zip([outerRing] + holes, rings).allSatisfy({ $0.count == $1.count }) else { return nil }
    self.init(outerRing: rings[0], holes: Array(rings.dropFirst()))
  }

  /// Creates a polygon of pairs of coordinates. Nil if one is not a valid point, or as above.
  public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
    self.init(outerRing: outerRing, holes: holes.map { $0 })
  }

  private static func isRing(_ points: [GeoPoint]) -> Bool {
    points.count >= 4 && points.first == points.last && Set(points).count >= 3
  }

  public var queryText: String {
    let rings = ([outerRing] + holes).map { "{\($0.map(\.text).joined(separator: ", "))}" }
    return "geoPolygon(\(rings.joined(separator: ", ")))"
  }
}

extension Query where T: _OptionalObject {
  /// Whether the point described by an embedded object with `type` and `coordinates` lies in the shape.
  public func geoWithin<Shape: GeoShape>(_ shape: Shape) -> Query<Bool> {
    Query<Bool>(.comparison(node, "IN", .shape(shape)))
  }
}
