// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Writes images as bytes.
struct ImageWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ touched: TouchedObject) {
    switch (touched.before, touched.after) {
    case (nil, nil): bytes.append(0)
    case (let before?, nil):
      bytes.append(1)
      write(before)
    case (nil, let after?):
      bytes.append(2)
      write(after)
    case (let before?, let after?) where before == after:
      bytes.append(4)
      write(before)
    case (let before?, let after?):
      bytes.append(3)
      write(before)
      write(after)
    }
  }

  private mutating func write(_ image: ObjectImage) {
    for field in image.fields {
      switch field {
      case .value(let value): write(value)
      case .elements(let values):
        bytes.append(ImageTag.elements)
        write(count: values.count)
        for value in values { write(value) }
      }
    }
  }

  mutating func write(count: Int) {
    var rest = UInt64(count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func write(bytes content: [UInt8]) {
    write(count: content.count)
    bytes.append(contentsOf: content)
  }

  private mutating func write(word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func write(_ value: Value) {
    guard let type = value.type else {
      bytes.append(ImageTag.null)
      return
    }
    if case .malformedString(let content) = value {
      bytes.append(ImageTag.malformedString)
      write(bytes: content)
      return
    }
    if !value.isCollection { bytes.append(type.rawValue) }
    switch value {
    case .null, .malformedString: break
    case .list(let elements):
      bytes.append(ImageTag.elements)
      write(count: elements.count)
      for element in elements { write(element) }
    case .dictionary(let entries):
      bytes.append(ImageTag.entries)
      write(count: entries.count)
      for entry in entries {
        write(bytes: Array(entry.key.utf8))
        write(entry.value)
      }
    case .int(let value): write(word: UInt64(bitPattern: value))
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .string(let value): write(bytes: Array(value.utf8))
    case .binary(let value): write(bytes: value)
    case .timestamp(let value):
      write(word: UInt64(bitPattern: value.seconds))
      write(word: UInt64(bitPattern: Int64(value.nanoseconds)))
    case .float(let value): write(word: UInt64(value.bitPattern))
    case .double(let value): write(word: value.bitPattern)
    case .decimal(let value): write(value)
    case .link(let link):
      write(bytes: Array(link.className.utf8))
      write(bytes: KeyCoding.encode(link.key))
    case .objectId(let value): bytes.append(contentsOf: value.bytes)
    case .uuid(let value): bytes.append(contentsOf: value.bytes)
    }
  }

  private mutating func write(_ value: Decimal128) {
    write(word: value.coefficientHigh)
    write(word: value.coefficientLow)
    write(word: UInt64(bitPattern: Int64(value.exponent)))
    bytes.append(value.isNegative ? 1 : 0)
  }
}

/// Tags in addition to those of value types.
enum ImageTag {
  static let null: UInt8 = 0x40
  static let malformedString: UInt8 = 0x41
  static let elements: UInt8 = 0x42
  static let entries: UInt8 = 0x43
}
