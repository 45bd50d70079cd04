// SPDX-License-Identifier: Apache-2.0

/// `path GEOWITHIN shape`: the point at the end of the path lies within an area of the globe.
///
/// A point is an object, usually an embedded one, with a string property `type` of value "Point" and a list
/// `coordinates` of doubles: longitude, latitude and optionally altitude.
public struct GeoWithin: Hashable, Sendable {
  /// A path that ends in a link to the point object.
  public var path: PropertyPath
  public var shape: GeoShape

  public init(_ path: PropertyPath, within shape: GeoShape) {
    self.path = path
    self.shape = shape
  }

  /// The properties that make up a point.
  public static let pointProperties = ["type", "coordinates"]
}
