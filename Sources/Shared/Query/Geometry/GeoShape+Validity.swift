// SPDX-License-Identifier: Apache-2.0

extension GeoShape {
  /// Returns the box between two opposite corners as a polygon, like the reference.
  public static func box(_ first: GeoPoint, _ second: GeoPoint) -> GeoShape {
    .polygon([
      [
        first, GeoPoint(longitude: first.longitude, latitude: second.latitude), second,
        GeoPoint(longitude: second.longitude, latitude: first.latitude), first,
      ]
    ])
  }

  /// A description of what makes the shape invalid; nil if it is valid.
  var problem: String? {
    switch self {
    case .circle(let center, let radius):
      if let problem = center.problem { return problem }
      return radius >= 0 && radius.isFinite ? nil : "The radius of a circle must be a non-negative number"
    case .polygon(let rings):
      guard let outer = rings.first else { return "Polygon has no rings." }
      for (index, ring) in rings.enumerated() {
        if let problem = Self.problem(ofRing: ring) { return "Ring \(index): \(problem)" }
      }
      let outline = GeoRing(outer)
      for (index, hole) in rings.enumerated().dropFirst()
      where hole.first.map({ outline.contains(GeoVector($0)) }) != true {
        return
          "Ring \(index) not contained by first exterior ring - secondary rings must be holes in the first ring"
      }
      return nil
    }
  }

  private static func problem(ofRing ring: [GeoPoint]) -> String? {
    for point in ring {
      if let problem = point.problem { return problem }
    }
    guard ring.count >= 4 else { return "a ring must have at least 4 points, the last equal to the first" }
    guard let first = ring.first, let last = ring.last, first.isSamePlace(as: last) else {
      return "the ring is not closed: its last point must equal its first"
    }
    for (point, next) in zip(ring, ring.dropFirst()) where point.isSamePlace(as: next) {
      return "two points in a row are the same: \(point)"
    }
    return nil
  }
}

extension GeoPoint {
  /// Whether the point is a position on the globe.
  var isValid: Bool { longitude.magnitude <= 180 && latitude.magnitude <= 90 }

  fileprivate var problem: String? {
    isValid ? nil : "Longitude/latitude is out of bounds, lng: \(longitude) lat: \(latitude)"
  }

  fileprivate func isSamePlace(as other: GeoPoint) -> Bool {
    longitude == other.longitude && latitude == other.latitude
  }
}
