// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import FlexSync

/// Documents as text: custom data, profiles, payloads of functions.
@Suite struct ExtendedJSONTests {
  private static let document: Document = [
    "double": 1.5, "infinite": .double(-.infinity), "string": "zwölf", "bool": true, "null": nil,
    "int32": .int32(-5), "int64": .int64(1 << 60), "decimal": .decimal128("12.50"),
    "date": .datetime(Date(timeIntervalSince1970: 1_700_000_000.25)),
    "timestamp": .timestamp(Date(timeIntervalSince1970: 1_700_000_000)),
    "objectId": .objectId(ObjectId("65a000000000000000000001")), "uuid": .uuid(UUID()),
    "binary": .binary(Data([0, 1, 255])), "min": .minKey, "max": .maxKey,
    "array": [1, "two", nil, [3]], "document": ["empty": [:], "deep": ["er": false]],
  ]

  @Test func everyKindOfValueReadsBackAsItWas() throws {
    let text = ExtendedJSON.text(Self.document)
    let again = ExtendedJSON.document(text)
    for (name, value) in Self.document { #expect(again[name] == value, "\(name) in \(text)") }
    #expect(again.count == Self.document.count)
  }

  @Test func expressionsReadBack() throws {
    let expression = try NSRegularExpression(pattern: "^a.*b$", options: [.caseInsensitive])
    let again = ExtendedJSON.document(ExtendedJSON.text(["e": .regex(expression)]))
    let read = try #require((again["e"] ?? nil)?.regexValue)
    #expect(read.pattern == "^a.*b$")
    #expect(read.options == [.caseInsensitive])
  }

  @Test func datesBeyondAllCalendarsAreClamped() {
    let dates: Document = [
      "future": .datetime(Date(timeIntervalSince1970: 1e300)),
      "past": .timestamp(Date(timeIntervalSince1970: -.infinity)),
      "none": .datetime(Date(timeIntervalSince1970: .nan)),
    ]
    let again = ExtendedJSON.document(ExtendedJSON.text(dates))
    #expect((again["future"] ?? nil)?.dateValue == Date(timeIntervalSince1970: Double(Int64.max) / 1000))
    #expect((again["past"] ?? nil)?.timestampValue == Date(timeIntervalSince1970: Double(Int64.min)))
    #expect((again["none"] ?? nil)?.dateValue == Date(timeIntervalSince1970: 0))
  }

  @Test func whatTheLibraryKeepsIsNotTooDeepToBeRead() {
    let text = String(repeating: #"{"a":"#, count: 200) + "1" + String(repeating: "}", count: 200)
    #expect(ExtendedJSON.document(text).count == 1)
  }

  @Test func aProgramMayWriteADocumentOfAnyDepth() {
    let document = (0..<1000).reduce(AnyBSON.string("x")) { inner, _ in ["a": inner] }
    let text = ExtendedJSON.text(["a": document])
    let ends = (String(repeating: #"{"a":"#, count: 1001), String(repeating: "}", count: 1001))
    #expect(text == ends.0 + #""x""# + ends.1)
  }

  @Test func numbersAreWrittenWithTheirTypes() {
    #expect(ExtendedJSON.text(["a": .int32(5)]) == #"{"a":{"$numberInt":"5"}}"#)
    #expect(ExtendedJSON.text([.int64(5), "x"]) == #"[{"$numberLong":"5"},"x"]"#)
  }

  @Test(arguments: [
    (#"{"v":5}"#, AnyBSON.int64(5)), (#"{"v":5.5}"#, .double(5.5)),
    (#"{"v":{"$date":"2023-11-14T22:13:20Z"}}"#, .datetime(Date(timeIntervalSince1970: 1_700_000_000))),
    (
      #"{"v":{"$date":"2023-11-14T22:13:20.250Z"}}"#, .datetime(Date(timeIntervalSince1970: 1_700_000_000.25))
    ),
    (#"{"v":{"$date":1700000000000}}"#, .datetime(Date(timeIntervalSince1970: 1_700_000_000))),
    (#"{"v":{"$oid":"nonsense"}}"#, .document(["$oid": "nonsense"])),
    (#"{"v":{"$set":{"a":true}}}"#, .document(["$set": ["a": true]])),
  ])
  func otherFormsAreRead(text: String, value: AnyBSON) {
    #expect(ExtendedJSON.document(text) == ["v": value])
  }

  @Test func noTextIsAnEmptyDocument() { #expect(ExtendedJSON.document(nil).isEmpty) }

  @Test func numbersBecomeOthersWhereNothingIsLost() {
    #expect(AnyBSON.double(3).asInt() == 3)
    #expect(AnyBSON.double(3.5).asInt() == nil)
    #expect(AnyBSON.int64(1 << 40).asInt32() == nil)
    #expect(AnyBSON.int32(7).asDouble() == 7)
    #expect(AnyBSON.string("7").asInt() == nil)
    #expect(AnyBSON(7).value() == 7)
    #expect(AnyBSON("x").value() == "x")
    #expect(AnyBSON([1, nil] as [AnyBSON?]) == [1, nil])
  }
}
