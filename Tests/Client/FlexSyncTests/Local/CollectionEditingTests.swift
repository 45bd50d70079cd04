// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Edits of several elements at once, and coding.
@Suite struct CollectionEditingTests {
  private func makeInts(managed: Bool) throws -> (Realm, List<Int>) {
    let realm = try LocalFile().open()
    let lists = Lists()
    lists.ints.append(objectsIn: [0, 1, 2, 3, 4])
    if managed { try realm.write { realm.add(lists) } }
    return (realm, lists.ints)
  }

  @Test(arguments: [false, true])
  func rangesOfAListAreInsertedReplacedAndRemoved(managed: Bool) throws {
    let (realm, ints) = try makeInts(managed: managed)
    try realm.write {
      ints.insert(contentsOf: [7, 8], at: 1)
      #expect(Array(ints) == [0, 7, 8, 1, 2, 3, 4])
      ints.replaceSubrange(1...2, with: [9])
      #expect(Array(ints) == [0, 9, 1, 2, 3, 4])
      ints.removeSubrange(4...)
      ints.removeFirst(2)
      #expect(Array(ints) == [1, 2])
      ints.append(contentsOf: ints)
      ints.removeLast(1)
      #expect(Array(ints) == [1, 2, 1])
    }
    #expect(Array(ints[1...]) == [2, 1])
    #expect(ints.min() == 1 && ints.max() == 2 && ints.sum() == 4)
  }

  @Test func collectionsAreCodedAsArraysAndDictionaries() throws {
    let coder = JSONEncoder()
    coder.outputFormatting = .sortedKeys
    let list: List<Int> = [2, 1]
    let set: MutableSet<String> = ["a"]
    let map: Map<String, Int?> = ["b": 1, "a": nil]
    #expect(String(decoding: try coder.encode(list), as: UTF8.self) == "[2,1]")
    #expect(String(decoding: try coder.encode(set), as: UTF8.self) == #"["a"]"#)
    #expect(String(decoding: try coder.encode(map), as: UTF8.self) == #"{"a":null,"b":1}"#)
    let decoder = JSONDecoder()
    #expect(Array(try decoder.decode(List<Int>.self, from: Data("[3,4]".utf8))) == [3, 4])
    #expect(Array(try decoder.decode(MutableSet<Int>.self, from: Data("[3,3]".utf8))) == [3])
    #expect(try decoder.decode(Map<String, Int>.self, from: Data(#"{"x":1}"#.utf8))["x"] == 1)
  }
}
