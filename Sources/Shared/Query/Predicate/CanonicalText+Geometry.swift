// SPDX-License-Identifier: Apache-2.0

extension CanonicalText {
  static func of(_ shape: GeoShape) -> String {
    var writer = CanonicalText()
    writer.write(shape)
    return writer.text
  }

  mutating func write(_ condition: GeoWithin) {
    write(condition.path)
    text += " GEOWITHIN "
    write(condition.shape)
  }

  private mutating func write(_ shape: GeoShape) {
    switch shape {
    case .circle(let center, let radius): text += "GeoCircle(\(center), \(radius))"
    case .polygon(let rings):
      text += "GeoPolygon("
      write(rings, separator: ", ") { writer, ring in
        writer.text += "{"
        writer.write(ring, separator: ", ") { $0.text += $1.description }
        writer.text += "}"
      }
      text += ")"
    }
  }
}
