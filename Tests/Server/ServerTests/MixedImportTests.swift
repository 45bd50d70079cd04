// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel
import Testing

@testable import FlexSyncDocuments

@Suite struct MixedImportTests {
  private let schema = Schema([
    ClassSchema(
      name: "Note",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "any", type: .mixed, isNullable: true),
        PropertySchema(name: "price", type: .decimal),
      ]
    )
  ])

  private func any(_ text: String) throws -> Value {
    let reader = try DocumentReader(className: "Note", schema: schema, classByCollection: ["notes": "Note"])
    let object = try reader.object(JSON.parse(#"{"_id": 1, "price": 1, "any": \#(text)}"#))
    guard case .value(let value)? = object.contents.first?.content else { return .null }
    return value
  }

  private func price(_ text: String) throws -> Value {
    let reader = try DocumentReader(className: "Note", schema: schema, classByCollection: [:])
    let object = try reader.object(JSON.parse(#"{"_id": 1, "price": \#(text)}"#))
    guard case .value(let value)? = object.contents.last?.content else { return .null }
    return value
  }

  @Test func decimalsKeepTheirDigits() throws {
    func decimal(_ coefficient: UInt64, _ exponent: Int32) -> Value {
      .decimal(
        Decimal128(coefficientHigh: 0, coefficientLow: coefficient, exponent: exponent, isNegative: false)
      )
    }
    #expect(try price(#"{"$numberDecimal": "1.50"}"#) == decimal(150, -2))
    #expect(try price(#"{"$numberLong": "9223372036854775807"}"#) == decimal(9_223_372_036_854_775_807, 0))
    #expect(try price("9007199254740993") == decimal(9_007_199_254_740_993, 0))
    #expect(try price("0.1") == decimal(1, -1))
    #expect(throws: DocumentError.self) { try price(#""1.5""#) }
    #expect(throws: DocumentError.self) { try price(#"{"$numberDecimal": "x"}"#) }
  }

  @Test func aMixedIsReadByItsForm() throws {
    #expect(try any("null") == .null)
    #expect(try any("5") == .int(5))
    #expect(try any("5.0") == .double(5))
    #expect(try any(#""a""#) == .string("a"))
    #expect(try any("true") == .bool(true))
    #expect(try any(#"{"$numberInt": "7"}"#) == .int(7))
    #expect(try any(#"{"$numberDouble": "-Infinity"}"#) == .double(-.infinity))
    #expect(try any(#"{"$date": {"$numberLong": "1500"}}"#) == .timestamp(Timestamp(milliseconds: 1500)))
    #expect(try any(#"{"$binary": {"base64": "AP8=", "subType": "00"}}"#) == .binary([0, 255]))
    #expect(try any(#"{"$ref": "notes", "$id": 2}"#) == .link(Link(className: "Note", key: .int(2))))
    #expect(
      try any(#"{"b": [1, {"c": null}], "a": {"$oid": "65a0000000000000000000ff"}}"#)
        == .dictionary([
          DictionaryEntry("a", .objectId(try #require(ObjectId(hex: "65a0000000000000000000ff")))),
          DictionaryEntry("b", .list([.int(1), .dictionary([DictionaryEntry("c", .null)])])),
        ])
    )
    #expect(throws: DocumentError.self) { try any(#"{"$unknown": 1}"#) }
    #expect(throws: DocumentError.self) { try any(#"[{"$ref": "nothing", "$id": 2}]"#) }
  }
}
