// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A 12-byte identifier made up of a time, random bytes and a counter; the usual type of `_id`.
public struct ObjectId: Hashable, Sendable {
  let high: UInt64
  let low: UInt32

  /// Generates a new identifier, different from those of any other device.
  public static func generate() -> ObjectId { .generated }

  /// Creates a new identifier, like `generate()`.
  public init() { self = .generate() }

  /// Parses 24 hexadecimal digits.
  ///
  /// - Throws: `Realm.Error` with code `invalidInput` for any other text.
  public init(string: String) throws {
    guard let identifier = ObjectId.parse(string) else {
      throw Realm.Error(
        code: .invalidInput,
        message: "'\(string)' is not an object id, which has 24 hexadecimal digits"
      )
    }
    self = identifier
  }

  /// Parses 24 hexadecimal digits written in the source.
  public init(_ literal: StaticString) {
    do { try self.init(string: literal.description) } catch { Misuse.stop("\(error)") }
  }

  /// Creates an identifier whose last three bytes are a counter.
  ///
  /// - Parameters:
  ///   - timestamp: a time, of which the seconds are used.
  ///   - machineId: identifies the device; its lower three bytes are used.
  ///   - processId: identifies the process; its lower two bytes are used.
  public init(timestamp: Date, machineId: Int, processId: Int) {
    let seconds = UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970))
    let machine = UInt64(truncatingIfNeeded: machineId) & 0xff_ffff
    let process = UInt64(truncatingIfNeeded: processId) & 0xffff
    high = UInt64(seconds) << 32 | machine << 8 | process >> 8
    low = UInt32(process & 0xff) << 24 | ObjectId.generate().low & 0xff_ffff
  }

  init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// The identifier as 24 lowercase hexadecimal digits.
  public var stringValue: String { formatted }

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
