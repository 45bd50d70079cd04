// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The form in which an object's image holds a point instead of the embedded object: `type`, longitude and latitude.
public enum PointImage {
  /// The number of elements of `coordinates` that matter.
  public static let coordinateCount = 2

  /// Returns the position on the globe, or nil if the elements do not describe one.
  static func place(_ elements: [Value]) -> GeoPoint? {
    guard elements.count > coordinateCount, case .string("Point") = elements[0],
      let longitude = elements[1].number, let latitude = elements[2].number
    else { return nil }
    let place = GeoPoint(longitude: longitude, latitude: latitude)
    return place.isValid ? place : nil
  }

  /// Whether the value claims to be a point but is not a valid position on the globe.
  public static func isCorrupt(_ elements: [Value]) -> Bool {
    guard case .string("Point") = elements.first else { return false }
    return place(elements) == nil
  }
}

extension ClassSchema {
  /// Whether the objects are GeoJSON points.
  var isPoint: Bool {
    guard let type = property(named: "type"), type.type == .string, type.collection == .single,
      let coordinates = property(named: "coordinates"), coordinates.type == .double,
      coordinates.collection == .list
    else { return false }
    return true
  }
}

extension Schema {
  /// Whether a property holds one embedded object that is a GeoJSON point.
  public func holdsPoint(_ property: PropertySchema) -> Bool {
    guard property.type == .link, property.collection == .single,
      let target = property.linkTarget.flatMap({ self[$0] })
    else { return false }
    return target.kind == .embedded && target.isPoint
  }
}
