// SPDX-License-Identifier: Apache-2.0

/// An area of the globe. A box is represented by the polygon of its four corners, as in the reference.
public enum GeoShape: Hashable, Sendable {
  /// All points within an angle of `radius` radians from the centre, measured at the centre of the globe.
  case circle(center: GeoPoint, radius: Double)
  /// The outer ring, followed by the rings of the holes. Each ring is closed: its last point equals its first. Edges
  /// follow the shortest path on the sphere.
  case polygon([[GeoPoint]])
}

/// A position in degrees.
public struct GeoPoint: Hashable, Sendable {
  public var longitude: Double
  public var latitude: Double
  /// The altitude in metres. Has no effect on GEOWITHIN.
  public var altitude: Double?

  public init(longitude: Double, latitude: Double, altitude: Double? = nil) {
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude
  }
}

extension GeoPoint: CustomStringConvertible {
  /// The form used in queries. Numbers keep their fraction, because here the grammar has no negative number without
  /// one.
  public var description: String {
    let altitude = altitude.map { ", \($0)" } ?? ""
    return "[\(longitude), \(latitude)\(altitude)]"
  }
}
