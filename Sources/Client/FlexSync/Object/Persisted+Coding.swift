// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Persisted: Decodable where Value: Decodable {
  /// Decodes the value. Nil is an empty collection.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if !container.decodeNil() {
      self.init(wrappedValue: try container.decode(Value.self))
      return
    }
    guard let value = Value._convert(NSNull()) else {
      throw DecodingError.typeMismatch(
        Value.self,
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "Cannot convert nil to \(Value.self)"
        )
      )
    }
    self.init(wrappedValue: value)
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the value that the property has outside a realm.
  ///
  /// - Throws: `EncodingError` for an object in a realm, whose class must define `encode(to:)` itself.
  public func encode(to encoder: any Encoder) throws {
    guard ordinal < 0 else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription:
            "Only unmanaged Realm objects can be encoded using automatic Codable synthesis. You must "
            + "explicitly define encode(to:) on your model class to support managed Realm objects."
        )
      )
    }
    var container = encoder.singleValueContainer()
    try container.encode(unmanaged ?? Value._defaultValue())
  }
}

/// A property wrapper whose value may be nil, so that its key may be missing where it is decoded.
public protocol OptionalCodingWrapper {
  associatedtype WrappedType: ExpressibleByNilLiteral

  init(wrappedValue: WrappedType)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {}

extension KeyedDecodingContainer {
  /// Decodes an optional property, which is nil if its key is missing.
  public func decode<Wrapper>(_ type: Wrapper.Type, forKey key: Key) throws -> Wrapper
  where Wrapper: Decodable, Wrapper: OptionalCodingWrapper {
    try decodeIfPresent(type, forKey: key) ?? Wrapper(wrappedValue: nil)
  }
}
