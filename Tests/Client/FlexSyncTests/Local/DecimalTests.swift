// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

@Suite struct DecimalTests {
  @Test func decimalsAreSignedAndHaveDistances() {
    var number: Decimal128 = -1.5
    number.negate()
    #expect(number == 1.5 && -number == -1.5)
    #expect(number.distance(to: 4) == 2.5 && number.advanced(by: -2) == -0.5)
  }

  @Test(arguments: [
    ("0", "0"), ("0.00", "0"), ("100", "100"), ("-1.0", "-1"), ("11.111110", "11.11111"),
    ("0.0025", "2.5E-3"),
    ("1234567890e123", "1.23456789E132"), ("15E1", "1.5E2"), ("1E2", "1E2"), ("120.50", "120.5"),
  ])
  func decimalsAreWrittenAsInTheSDK(_ text: String, _ expected: String) throws {
    let decimal = try Decimal128(string: text)
    #expect("\(decimal)" == expected)
    #expect(try Decimal128(string: expected) == decimal)
  }

  @Test func decimalsAreReadAndWritten() throws {
    #expect(try Decimal128(string: "-12.50").stringValue == "-12.50")
    #expect(Decimal128("1E-7").description == "1E-7")
    #expect(throws: Realm.Error.self) { try Decimal128(string: "x") }
    let empty = ""
    #expect(Decimal128(empty) == nil)
    let fromInteger: Decimal128 = 42
    let fromFloat: Decimal128 = 0.1
    let fromText: Decimal128 = "1.00"
    #expect([fromInteger, fromFloat, fromText].map(\.stringValue) == ["42", "0.1", "1.00"])
    #expect(Decimal128(value: 7).stringValue == "7")
    #expect(Decimal128(value: 1.5 as Float).stringValue == "1.5")
    #expect(Decimal128(number: NSNumber(value: 2.5)).stringValue == "2.5")
    #expect(Decimal128(number: NSNumber(value: -3)).stringValue == "-3")
    let none = Decimal128(value: NSNull())
    #expect(none.isNaN && none.isSignaling && none.isSignalingNaN)
    #expect(Decimal128(Int64.min).stringValue == "-9223372036854775808")
    #expect(Decimal128("2.25").doubleValue == 2.25)
  }

  @Test func equalNumbersAreEqualWhateverTheirDigits() {
    let one: Decimal128 = "1.0"
    let other: Decimal128 = "1.000"
    #expect(one == other && one.hashValue == other.hashValue && one.stringValue != other.stringValue)
    #expect(Set([one, other, "-0", "0"]).count == 2)
    #expect(
      ["10", "-1", "2", "nan", "-inf"].map { Decimal128($0) ?? 0 }.sorted().map(\.stringValue) == [
        "nan", "-inf", "-1", "2", "10",
      ]
    )
    #expect(Decimal128("nan").isNaN && !one.isNaN)
    #expect(Decimal128.min < 0 && Decimal128.max > Decimal128("1E6111"))
  }

  @Test func arithmeticIsExactInDecimals() {
    let a: Decimal128 = "0.1"
    let b: Decimal128 = "0.2"
    #expect(a + b == "0.3" && a - b == "-0.1" && a * b == "0.02" && a / b == "0.5")
    var sum: Decimal128 = 0
    for _ in 0..<10 { sum += a }
    #expect(sum == 1)
    sum *= 3
    sum /= 2
    sum -= 1
    #expect(sum == "0.5" && (-sum).magnitude == sum)
    #expect((1 / Decimal128(3)).stringValue == "0.3333333333333333333333333333333333")
    #expect((Decimal128(0) / 0).isNaN)
  }

  @Test func decimalsTravelAsTexts() throws {
    let decimals: [Decimal128] = ["1.50", "-3", "1E-7"]
    let data = try JSONEncoder().encode(decimals)
    #expect(String(decoding: data, as: UTF8.self) == #"["1.5","-3","1E-7"]"#)
    #expect(try JSONDecoder().decode([Decimal128].self, from: data) == decimals)
    #expect(try JSONDecoder().decode([Decimal128].self, from: Data("[7, 1.5]".utf8)) == [7, 1.5])
  }

  @Test func propertiesHoldDecimals() throws {
    let file = try LocalFile()
    let realm = try file.open()
    let note = Note()
    #expect(note.price == 0 && note.discount == nil && note.tax == "0.19")
    note.price = "19.90"
    note.prices.append(objectsIn: ["1.0", "2"])
    try realm.write { realm.add(note) }
    #expect(note.price.stringValue == "19.90" && note.tax.stringValue == "0.19" && note.discount == nil)
    #expect(note.prices.map(\.stringValue) == ["1.0", "2"])
    try realm.write {
      note.discount = "0.5"
      note.price -= 1
      note.limits["a"] = 7
      note.limits["b"] = .some(nil)
    }
    #expect(
      note.discount == "0.5" && note.price == "18.9" && note.prices.sum() == 3 && note.prices.max() == 2
    )
    #expect(note.limits["a"] == 7 && note.limits["b"] == .some(nil))
    try realm.write { note.discount = nil }
    #expect(note.discount == nil)
    try realm.write {
      realm.create(Note.self, value: ["_id": 2, "price": 2, "discount": "3.5"] as [String: Any])
    }
    #expect(realm.object(ofType: Note.self, forPrimaryKey: 2)?.discount == 3.5)
    #expect(realm.objects(Note.self).where { $0.price > 10 }.count == 1)
  }
}
