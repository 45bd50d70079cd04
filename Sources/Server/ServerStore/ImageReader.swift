// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Reads the bytes that `ImageWriter` has written.
struct ImageReader {
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func images() throws -> HistoryImages {
    var classes: [String] = []
    var result = HistoryImages()
    for _ in 0..<(try count()) {
      let name = try text()
      classes.append(name)
      result.layouts[name] = try (0..<(try count())).map { _ in try text() }
    }
    for _ in 0..<(try count()) {
      let index = try count()
      guard index < classes.count, let key = KeyCoding.decode(try content()) else { throw Malformed() }
      let width = result.layouts[classes[index]]?.count ?? 0
      let reference = ObjectReference(table: classes[index], key: key)
      result.objects.append(try touched(reference, width: width))
    }
    guard position == bytes.count else { throw Malformed() }
    return result
  }

  private mutating func touched(_ object: ObjectReference, width: Int) throws -> TouchedObject {
    switch try byte() {
    case 0: return TouchedObject(object: object, before: nil, after: nil)
    case 1: return TouchedObject(object: object, before: try image(width), after: nil)
    case 2: return TouchedObject(object: object, before: nil, after: try image(width))
    case 3:
      let before = try image(width)
      return TouchedObject(object: object, before: before, after: try image(width))
    case 4:
      let image = try image(width)
      return TouchedObject(object: object, before: image, after: image)
    default: throw Malformed()
    }
  }

  private mutating func image(_ width: Int) throws -> ObjectImage {
    var fields: [ObjectImage.Field] = []
    fields.reserveCapacity(width)
    for _ in 0..<width {
      let tag = try byte()
      if tag == ImageTag.elements {
        fields.append(.elements(try (0..<(try count())).map { _ in try value(try byte()) }))
      } else {
        fields.append(.value(try value(tag)))
      }
    }
    return ObjectImage(fields: fields)
  }

  /// - Parameter depth: The number of collections around the value, including that of the property.
  private mutating func value(_ tag: UInt8, depth: Int = 1) throws -> Value {
    guard depth <= MixedCoding.greatestDepth + 1 else { throw Malformed() }
    if tag == ImageTag.null { return .null }
    if tag == ImageTag.malformedString { return .malformedString(try content()) }
    if tag == ImageTag.elements {
      return .list(try (0..<(try count())).map { _ in try value(try byte(), depth: depth + 1) })
    }
    if tag == ImageTag.entries {
      return .dictionary(
        try (0..<(try count())).map { _ in
          DictionaryEntry(try text(), try value(try byte(), depth: depth + 1))
        }
      )
    }
    guard let type = ValueType(rawValue: tag) else { throw Malformed() }
    switch type {
    case .mixed: throw Malformed()
    case .int: return .int(Int64(bitPattern: try word()))
    case .bool: return .bool(try byte() != 0)
    case .string: return .string(try text())
    case .binary: return .binary(try content())
    case .timestamp: return .timestamp(try timestamp())
    case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try word())))
    case .double: return .double(Double(bitPattern: try word()))
    case .decimal: return .decimal(try decimal())
    case .link: return .link(try link())
    case .objectId: return .objectId(try required(ObjectId(bytes: try take(ObjectId.byteCount))))
    case .uuid: return .uuid(try required(UUIDValue(bytes: try take(UUIDValue.byteCount))))
    }
  }

  private mutating func timestamp() throws -> Timestamp {
    let seconds = Int64(bitPattern: try word())
    let nanoseconds = Int32(truncatingIfNeeded: try word())
    return try required(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  private mutating func decimal() throws -> Decimal128 {
    let high = try word()
    let low = try word()
    let exponent = Int32(truncatingIfNeeded: try word())
    let isNegative = try byte() != 0
    return Decimal128(coefficientHigh: high, coefficientLow: low, exponent: exponent, isNegative: isNegative)
  }

  private mutating func link() throws -> Link {
    let className = try text()
    return Link(className: className, key: try required(KeyCoding.decode(try content())))
  }

  private func required<Content>(_ content: Content?) throws -> Content {
    guard let content else { throw Malformed() }
    return content
  }

  private mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw Malformed() }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - position else { throw Malformed() }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func count() throws -> Int {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      let next = try byte()
      result |= UInt64(next & 0x7f) << shift
      if next & 0x80 == 0 {
        guard result <= UInt64(bytes.count) else { throw Malformed() }
        return Int(result)
      }
    }
    throw Malformed()
  }

  private mutating func content() throws -> [UInt8] { Array(try take(try count())) }

  private mutating func text() throws -> String {
    try required(String(validating: try take(try count()), as: UTF8.self))
  }

  private mutating func word() throws -> UInt64 {
    try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
