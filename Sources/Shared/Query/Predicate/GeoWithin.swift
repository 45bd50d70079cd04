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
