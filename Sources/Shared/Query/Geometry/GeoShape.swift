// SPDX-License-Identifier: Apache-2.0

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

extension GeoPoint: CustomStringConvertible {
  /// As queries write it: numbers keep their fraction, because the grammar has no negative number without one here.
  public var description: String {
    let altitude = altitude.map { ", \($0)" } ?? ""
    return "[\(longitude), \(latitude)\(altitude)]"
  }
}
