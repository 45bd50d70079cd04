// SPDX-License-Identifier: Apache-2.0

extension CanonicalText {
  static func of(_ condition: GeoWithin) -> String {
    "\(of(condition.path)) GEOWITHIN \(of(condition.shape))"
  }

  static func of(_ shape: GeoShape) -> String {
    switch shape {
    case .circle(let center, let radius): "GeoCircle(\(of(center)), \(radius))"
    case .polygon(let rings):
      "GeoPolygon(\(rings.map { "{" + $0.map(of).joined(separator: ", ") + "}" }.joined(separator: ", ")))"
    }
  }

  /// Numbers keep their fraction: the grammar has no negative number without one here.
  private static func of(_ point: GeoPoint) -> String {
    let altitude = point.altitude.map { ", \($0)" } ?? ""
    return "[\(point.longitude), \(point.latitude)\(altitude)]"
  }
}
