// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A 12-byte identifier made up of a time, random bytes and a counter; the usual type of `_id`.
public struct ObjectId: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt32

  /// Generates a new identifier, different from those of any other device.
  public static func generate() -> ObjectId { ObjectId(flx_object_id_generate()) }

  /// Creates a new identifier, like `generate()`.
  public init() { self = .generate() }

  /// Parses 24 hexadecimal digits.
  ///
  /// - Throws: `Realm.Error` with code `invalidInput` for any other text.
  public init(string: String) throws {
    var identifier = flx_object_id_t()
    guard string.withFlexString({ flx_object_id_parse($0, &identifier) }) else {
      throw Realm.Error(
        code: .invalidInput,
        message: "'\(string)' is not an object id, which has 24 hexadecimal digits"
      )
    }
    self.init(identifier)
  }

  /// Parses 24 hexadecimal digits written in the source.
  public init(_ literal: StaticString) {
    do { try self.init(string: literal.description) } catch { preconditionFailure("\(error)") }
  }

  init(_ identifier: flx_object_id_t) {
    (high, low) = withUnsafeBytes(of: identifier.bytes) { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      )
    }
  }

  var flexValue: flx_object_id_t {
    var identifier = flx_object_id_t()
    withUnsafeMutableBytes(of: &identifier.bytes) { bytes in
      bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
    }
    return identifier
  }

  /// The identifier as 24 lowercase hexadecimal digits.
  public var stringValue: String {
    var identifier = flexValue
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 25) { text in
      guard let base = text.baseAddress else { return "" }
      flx_object_id_format(&identifier, base)
      return String(cString: base)
    }
  }

  /// The time at which the identifier was generated, to the second.
  public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(high >> 32)) }
}

extension ObjectId: Comparable, CustomStringConvertible, Codable {
  public static func < (left: ObjectId, right: ObjectId) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  public var description: String { stringValue }

  public init(from decoder: any Decoder) throws {
    try self.init(string: decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}
