// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A direction from the centre of the globe.
struct GeoVector {
  var x: Double
  var y: Double
  var z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  init(_ point: GeoPoint) {
    let longitude = point.longitude * .pi / 180
    let latitude = point.latitude * .pi / 180
    x = cos(latitude) * cos(longitude)
    y = cos(latitude) * sin(longitude)
    z = sin(latitude)
  }

  func dot(_ other: GeoVector) -> Double { x * other.x + y * other.y + z * other.z }

  func cross(_ other: GeoVector) -> GeoVector {
    GeoVector(
      x: y * other.z - z * other.y,
      y: z * other.x - x * other.z,
      z: x * other.y - y * other.x
    )
  }

  var length: Double { dot(self).squareRoot() }

  /// Returns the angle between the directions in radians.
  func angle(to other: GeoVector) -> Double { atan2(cross(other).length, dot(other)) }
}

/// A closed line on the sphere. Its inside is the smaller of the two parts that it separates.
struct GeoRing {
  /// The corners, counter-clockwise around the inside. The first corner is not repeated.
  private let corners: [GeoVector]

  init(_ points: [GeoPoint]) {
    let corners = points.dropLast().map { GeoVector($0) }
    self.corners = Self.area(corners) < 0 ? corners.reversed() : corners
  }

  /// Whether the point is inside. If so, the bearing to the corners turns around it once, counter-clockwise. Seen
  /// from the opposite side of the globe, it turns the other way; seen from any other point, it does not turn at all.
  func contains(_ point: GeoVector) -> Bool {
    guard var previous = corners.last else { return false }
    var turn = 0.0
    for corner in corners {
      let (left, right) = (point.cross(previous), point.cross(corner))
      turn += atan2(point.dot(left.cross(right)), left.dot(right))
      previous = corner
    }
    return turn > .pi
  }

  /// Returns the area to the left of the line, between minus and plus half of the sphere.
  private static func area(_ corners: [GeoVector]) -> Double {
    guard let first = corners.first else { return 0 }
    var area = 0.0
    for (left, right) in zip(corners.dropFirst(), corners.dropFirst(2)) {
      let volume = first.dot(left.cross(right))
      area += 2 * atan2(volume, 1 + first.dot(left) + left.dot(right) + right.dot(first))
    }
    let sphere = 4 * Double.pi
    return area - sphere * (area / sphere).rounded()
  }
}

extension GeoShape {
  /// Whether a point lies within the shape.
  func contains(_ point: GeoPoint) -> Bool {
    let vector = GeoVector(point)
    switch self {
    case .circle(let center, let radius): return GeoVector(center).angle(to: vector) <= radius
    case .polygon(let rings):
      guard let outer = rings.first, GeoRing(outer).contains(vector) else { return false }
      return !rings.dropFirst().contains { GeoRing($0).contains(vector) }
    }
  }
}
