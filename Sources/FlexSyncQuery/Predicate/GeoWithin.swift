// SPDX-License-Identifier: Apache-2.0

/// `path GEOWITHIN shape`: the point at the end of the path lies in an area of the globe.
///
/// A point is an object, usually an embedded one, with the string property `type` of value "Point" and the list
/// `coordinates` of doubles: longitude, latitude and perhaps altitude.
public struct GeoWithin: Hashable, Sendable {
  /// Ends in a link to the object that is the point.
  public var path: PropertyPath
  public var shape: GeoShape

  public init(_ path: PropertyPath, within shape: GeoShape) {
    self.path = path
    self.shape = shape
  }

  /// The properties of a point that count.
  public static let pointProperties = ["type", "coordinates"]
}

/// An area of the globe. A box is the polygon of its four corners, as in the reference.
public enum GeoShape: Hashable, Sendable {
  /// All points whose angle to the centre, seen from the centre of the globe, is at most `radius` radians.
  case circle(center: GeoPoint, radius: Double)
  /// The outer ring and the rings of the holes. Each ring is closed: its last point equals its first. Edges are the
  /// shortest way on the sphere.
  case polygon([[GeoPoint]])
}

/// A position in degrees.
public struct GeoPoint: Hashable, Sendable {
  public var longitude: Double
  public var latitude: Double
  /// Metres; has no influence on GEOWITHIN.
  public var altitude: Double?

  public init(longitude: Double, latitude: Double, altitude: Double? = nil) {
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude
  }
}
