// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Testing

@Suite struct JSONTests {
  @Test func objectsKeepTheOrderOfTheirMembers() throws {
    let text = #"{"z":1,"a":[true,null,-2.5,"x"],"m":{}}"#
    #expect(try JSON.parse(text).serialized == text)
  }

  @Test(arguments: [Int64.max, Int64.min, 0]) func integersKeepAllSixtyFourBits(value: Int64) throws {
    #expect(try JSON.parse(String(value)) == .integer(value))
    #expect(JSON.integer(value).serialized == String(value))
  }

  @Test func stringsEscapeWhatMustBeEscaped() throws {
    let value = JSON.string("quote \" backslash \\ newline \n null \0 emoji 🦄 é")
    #expect(try JSON.parse(value.serialized) == value)
    #expect(JSON.string("\u{1}\u{1f}").serialized == "\"\\u0001\\u001f\"")
  }

  @Test(arguments: [
    "", "{", "{} x", "[1,]", "{\"a\":1,\"a\":2}", "nul", "1e999", "99999999999999999999", "\"\u{1}\"",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(throws: JSONError.self) { try JSON.parse(text) }
  }

  @Test func bytesThatAreNotUTF8AreRefused() {
    #expect(throws: JSONError.self) { try JSON.parse([0x22, 0xff, 0x22]) }
  }

  @Test func deepNestingIsRefusedAndDoesNotCrash() {
    let text = String(repeating: "[", count: 1_000_000)
    #expect(throws: JSONError.self) { try JSON.parse(text) }
  }

  @Test func levelsAreCounted() throws {
    #expect(!JSON.string("a").isNested(deeperThan: 0))
    #expect(JSON.array([]).isNested(deeperThan: 0) && !JSON.array([]).isNested(deeperThan: 1))
    let value = try JSON.parse(#"{"a":1,"b":[{"c":null}]}"#)
    #expect(value.isNested(deeperThan: 2) && !value.isNested(deeperThan: 3))
  }

  @Test func membersAreReadByName() throws {
    let value = try JSON.parse(#"{"name":"a","count":2,"ratio":0.5,"on":true}"#)
    #expect(value["name"]?.stringValue == "a")
    #expect(value["count"]?.integerValue == 2)
    #expect(value["count"]?.doubleValue == 2)
    #expect(value["ratio"]?.doubleValue == 0.5)
    #expect(value["ratio"]?.integerValue == nil)
    #expect(value["on"]?.boolValue == true)
    #expect(value["missing"] == nil)
  }
}
