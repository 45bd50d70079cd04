// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A point as the image of an object has it in place of the embedded object: `type`, longitude and latitude.
public enum PointImage {
  /// How many elements of `coordinates` count.
  public static let coordinateCount = 2

  /// The place on the globe; nil if the elements name none.
  static func place(_ elements: [Value]) -> GeoPoint? {
    guard elements.count > coordinateCount, case .string("Point") = elements[0],
      let longitude = elements[1].number, let latitude = elements[2].number
    else { return nil }
    let place = GeoPoint(longitude: longitude, latitude: latitude)
    return place.isValid ? place : nil
  }

  /// Whether it calls itself a point and is none on the globe.
  public static func isCorrupt(_ elements: [Value]) -> Bool {
    guard case .string("Point") = elements.first else { return false }
    return place(elements) == nil
  }
}

extension ClassSchema {
  /// Whether the objects are points as GeoJSON writes them.
  var isPoint: Bool {
    guard let type = property(named: "type"), type.type == .string, type.collection == .single,
      let coordinates = property(named: "coordinates"), coordinates.type == .double,
      coordinates.collection == .list
    else { return false }
    return true
  }
}

extension Schema {
  /// Whether a property holds one embedded object that is a point as GeoJSON writes it.
  public func holdsPoint(_ property: PropertySchema) -> Bool {
    guard property.type == .link, property.collection == .single,
      let target = property.linkTarget.flatMap({ self[$0] })
    else { return false }
    return target.kind == .embedded && target.isPoint
  }
}
