// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Reads values written by `MixedCoding` from a file that may be damaged.
extension MixedCoding {
  /// Returns the value of a BLOB, or nil for bytes that do not encode a value.
  static func value(of blob: UnsafeRawBufferPointer) -> Value? { value(of: blob, depth: 0) }

  /// - Parameter depth: The number of collections that enclose the value.
  private static func value(of bytes: UnsafeRawBufferPointer, depth: Int) -> Value? {
    guard let first = bytes.first else { return depth > 0 ? .null : nil }
    guard let tag = Tag(rawValue: first) else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    switch tag {
    case .bool: return content.count == 1 ? .bool(content[0] != 0) : nil
    case .float: return number(content).map { .float(Float(bitPattern: $0)) }
    case .double: return number(content).map { .double(Double(bitPattern: $0)) }
    case .decimal: return DecimalKey.decimal(content).map(Value.decimal)
    case .binary: return .binary([UInt8](content))
    case .timestamp: return timestamp(content)
    case .objectId: return ObjectId(bytes: content).map(Value.objectId)
    case .uuid: return UUIDValue(bytes: content).map(Value.uuid)
    case .link: return link(content).map(Value.link)
    case .list: return depth < greatestDepth ? list(content, depth: depth + 1) : nil
    case .dictionary: return depth < greatestDepth ? dictionary(content, depth: depth + 1) : nil
    case .int: return number(content).map { .int(Int64(bitPattern: $0)) }
    case .string: return string(content)
    }
  }

  private static func number<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> Number? {
    guard bytes.count == MemoryLayout<Number>.size else { return nil }
    return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
  }

  private static func timestamp(_ bytes: UnsafeRawBufferPointer) -> Value? {
    guard bytes.count == 12 else { return nil }
    let seconds = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) ^ 1 << 63
    let nanoseconds = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) ^ 1 << 31
    return Timestamp(seconds: Int64(bitPattern: seconds), nanoseconds: Int32(bitPattern: nanoseconds))
      .map(Value.timestamp)
  }

  private static func string(_ bytes: UnsafeRawBufferPointer) -> Value {
    String(validating: bytes, as: UTF8.self).map(Value.string) ?? .malformedString([UInt8](bytes))
  }

  /// Returns the link encoded in the content after its tag.
  static func link(_ bytes: UnsafeRawBufferPointer) -> Link? {
    var parts = SizedParts(bytes)
    guard let name = parts.next().flatMap({ String(validating: $0, as: UTF8.self) }),
      let key = KeyCoding.decode([UInt8](parts.rest))
    else { return nil }
    return Link(className: name, key: key)
  }

  private static func list(_ bytes: UnsafeRawBufferPointer, depth: Int) -> Value? {
    var parts = SizedParts(bytes)
    var elements: [Value] = []
    while let part = parts.next() {
      guard let element = value(of: part, depth: depth) else { return nil }
      elements.append(element)
    }
    return parts.rest.isEmpty ? .list(elements) : nil
  }

  private static func dictionary(_ bytes: UnsafeRawBufferPointer, depth: Int) -> Value? {
    var parts = SizedParts(bytes)
    var entries: [DictionaryEntry] = []
    while let name = parts.next() {
      guard let key = String(validating: name, as: UTF8.self), let part = parts.next(),
        let value = value(of: part, depth: depth)
      else { return nil }
      // Key lookups rely on the order.
      if let last = entries.last, !UTF8Order.isLess(last.key, key) { return nil }
      entries.append(DictionaryEntry(key, value))
    }
    return parts.rest.isEmpty ? .dictionary(entries) : nil
  }
}

/// Bytes that consist of parts, each preceded by its size.
private struct SizedParts {
  /// The bytes after the parts read so far.
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  /// Returns the next part, or nil at the end and for a size that exceeds the remaining bytes.
  mutating func next() -> UnsafeRawBufferPointer? {
    let sizeByteCount = MemoryLayout<UInt32>.size
    guard rest.count >= sizeByteCount else { return nil }
    let size = Int(UInt32(bigEndian: rest.loadUnaligned(as: UInt32.self)))
    guard size <= rest.count - sizeByteCount else { return nil }
    let part = UnsafeRawBufferPointer(rebasing: rest[sizeByteCount..<sizeByteCount + size])
    rest = UnsafeRawBufferPointer(rebasing: rest[(sizeByteCount + size)...])
    return part
  }
}
