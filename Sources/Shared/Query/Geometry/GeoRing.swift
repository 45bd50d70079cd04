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

  /// The angle between the directions in radians.
  func angle(to other: GeoVector) -> Double { atan2(cross(other).length, dot(other)) }
}

/// A closed line on the sphere whose inside is the smaller of the two parts it separates.
struct GeoRing {
  /// Counter-clockwise around the inside, the first corner not repeated.
  private let corners: [GeoVector]

  init(_ points: [GeoPoint]) {
    let corners = points.dropLast().map { GeoVector($0) }
    self.corners = Self.area(corners) < 0 ? corners.reversed() : corners
  }

  /// Whether the point is inside: the bearing to the corners then turns once around it, counter-clockwise. Seen from
  /// the other side of the globe the same corners turn the other way, from everywhere else not at all.
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

  /// The area on the left hand, between minus and plus half of the sphere.
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
  /// Whether a place lies in the shape.
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
