// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@Suite struct CollectionTests {
  let folder = TemporaryFolder()

  private func open() throws -> TestRealm { try TestRealm(path: folder.file("test.realm"), classes: .boxes) }

  // MARK: Sets

  @Test func aSetHasOneElementThatIsNotANumber() throws {
    let realm = try open()
    let negative = Cell.double(Double(bitPattern: 0xfff8_0000_0000_0123))
    try realm.write {
      let sizes = try realm.create("Box", .int(1)).set(of: "sizes")
      #expect(try sizes.insert(negative))
      #expect(try !sizes.insert(.double(.nan)))
      #expect(try sizes.insert(.double(-0.0)) && !sizes.insert(.double(0)))
      #expect(try sizes.find(.double(.nan)) == sizes.find(negative))
      #expect(try sizes.erase(.double(.nan)))
      #expect(try sizes.find(negative) == nil && sizes.count == 1)
      guard case .double(let zero) = try sizes.get(0) else { throw Unexpected() }
      #expect(zero.sign == .plus)
    }
  }

  private struct Unexpected: Error {}

  @Test func aSetHasEachElementOnceAndIsSorted() throws {
    let realm = try open()
    let box = try realm.write { try realm.create("Box", .int(1)) }
    let (labels, sizes) = (try box.set(of: "labels"), try box.set(of: "sizes"))
    #expect(try labels.count == 0)
    try realm.write {
      for label in ["b", "", "é", "a"] { #expect(try labels.insert(.string(label))) }
      #expect(try labels.insert(.null))
      #expect(try !labels.insert(.string("a")))
      for size in [2.5, -1, 0] { try sizes.insert(.double(size)) }
      #expect(try !sizes.insert(.double(-0.0)))
    }
    #expect(try labels.cells == [.null] + ["", "a", "b", "é"].map { .string($0) })
    #expect(try sizes.cells == [.double(-1), .double(0), .double(2.5)])
    #expect(try labels.find(.string("b")) == 3)
    #expect(try labels.find(.null) == 0)
    #expect(try labels.find(.string("c")) == nil)
    #expect(try sizes.find(.double(-0.0)) == 1)
    #expect(try sizes.find(.null) == nil)
    #expect(try sizes.find(.string("c")) == nil)
    try realm.write {
      #expect(try labels.erase(.string("a")))
      #expect(try !labels.erase(.string("a")))
      #expect(try labels.erase(.null))
      try sizes.clear()
    }
    #expect(try box.set(of: "labels").cells == ["", "b", "é"].map { .string($0) })
    #expect(try sizes.count == 0)
  }

  @Test func whatDoesNotFitASetIsRefused() throws {
    let realm = try open()
    try realm.write {
      let sizes = try realm.create("Box", .int(1)).set(of: "sizes")
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try sizes.insert(.string("1")) }
      expectFailure(.FLX_STATUS_NULL_NOT_ALLOWED) { try sizes.insert(.null) }
      let message = expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try sizes.get(0) }
      #expect(message == "Index 0 is out of bounds (must be less than 0).")
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try sizes.get(-1) }
    }
    let box = try #require(try realm.find("Box", .int(1)))
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try box.set(of: "sizes").insert(.double(1)) }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try box.set(of: "counts") }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try box.list("sizes") }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try box.get("sizes") }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try realm.write { try box.set("sizes", .double(1)) } }
  }

  // MARK: Dictionaries

  @Test func aDictionaryIsSortedByKey() throws {
    let realm = try open()
    let box = try realm.write { try realm.create("Box", .int(1)) }
    let (counts, notes) = (try box.dictionary("counts"), try box.dictionary("notes"))
    try realm.write {
      for (key, value) in [("b", 2), ("", 0), ("a", 9)] { try counts.set(key, .int(Int64(value))) }
      try counts.set("a", .int(1))
      try notes.set("n", .null)
      try notes.set("é", .string("x"))
    }
    #expect(try counts.entries == ["=int(0)", "a=int(1)", "b=int(2)"])
    #expect(try notes.entries == ["n=null", "é=string(\"x\")"])
    #expect(try notes.get("n") == .null)
    #expect(try notes.get("m") == nil)
    #expect(try counts.get("b") == .int(2))
    try realm.write {
      #expect(try counts.erase("b"))
      #expect(try !counts.erase("b"))
      try notes.clear()
    }
    #expect(try counts.entries == ["=int(0)", "a=int(1)"])
    #expect(try notes.count == 0)
  }

  @Test func keysThatNoPeerTakesAreRefused() throws {
    let realm = try open()
    try realm.write {
      let counts = try realm.create("Box", .int(1)).dictionary("counts")
      for key in ["$a", "a.b", "."] {
        let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try counts.set(key, .int(1)) }
        #expect(message.contains("'\(key)'"))
      }
      try counts.set("a$", .int(1))
      #expect(try !counts.erase("a.b"))
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try counts.set("a", .string("1")) }
      expectFailure(.FLX_STATUS_NULL_NOT_ALLOWED) { try counts.set("a", .null) }
      #expect(try counts.entries == ["a$=int(1)"])
    }
  }

  // MARK: Links and life

  @Test func deletedObjectsLeaveSetsAndBecomeNullInDictionaries() throws {
    let realm = try open()
    let box = try realm.write {
      let box = try realm.create("Box", .int(1))
      for key in [2, 3] as [Int64] {
        let other = try realm.create("Box", .int(key))
        try box.set(of: "inside").insert(other.link)
        try box.dictionary("beside").set("k\(key)", other.link)
      }
      return box
    }
    let (inside, beside) = (try box.set(of: "inside"), try box.dictionary("beside"))
    #expect(try inside.count == 2)
    let other = try #require(try realm.find("Box", .int(3)))
    #expect(try inside.find(other.link) == 1)
    #expect(try beside.get("k3") == other.link)
    try realm.write { try #require(try realm.find("Box", .int(2))).delete() }
    #expect(try inside.cells == [other.link])
    #expect(try beside.get("k2") == .null)
    #expect(try beside.count == 2)
  }

  @Test func theObjectsOfADictionaryCanBeQueried() throws {
    let realm = try open()
    let box = try realm.write {
      let box = try realm.create("Box", .int(1))
      for key in [2, 3, 4] as [Int64] {
        try box.dictionary("beside").set("k\(9 - key)", try realm.create("Box", .int(key)).link)
      }
      try box.dictionary("beside").set("none", .null)
      return box
    }
    let beside = try box.dictionary("beside")
    var handle: OpaquePointer?
    try attempt { flx_dictionary_get_results(beside.handle, &handle, $0) }
    let members = TestResults(realm, "Box", try #require(handle))
    #expect(try members.values("_id") == [.int(4), .int(3), .int(2)])
    #expect(try members.filter("_id < 4").sort("_id").values("_id") == [.int(2), .int(3)])
    try realm.write { _ = try beside.erase("k6") }
    #expect(try members.values("_id") == [.int(4), .int(2)])
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) {
      let counts = try box.dictionary("counts")
      try attempt { flx_dictionary_get_results(counts.handle, &handle, $0) }
    }
  }

  @Test func collectionsEndWithTheirObject() throws {
    let realm = try open()
    let box = try realm.write { try realm.create("Box", .int(1)) }
    let (labels, counts) = (try box.set(of: "labels"), try box.dictionary("counts"))
    try realm.write { try box.delete() }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try labels.count }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try counts.count }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { try realm.write { try counts.set("a", .int(1)) } }
  }

  @Test func collectionsFollowOtherHandlesAndRollbacks() throws {
    let realm = try open()
    let other = try open()
    let box = try realm.write { try realm.create("Box", .int(1)) }
    let (labels, counts) = (try box.set(of: "labels"), try box.dictionary("counts"))
    #expect(try labels.count == 0)
    try other.refresh()
    try other.write {
      let box = try #require(try other.find("Box", .int(1)))
      try box.set(of: "labels").insert(.string("a"))
      try box.dictionary("counts").set("a", .int(1))
    }
    try realm.refresh()
    #expect(try labels.cells == [.string("a")])
    #expect(try counts.entries == ["a=int(1)"])
    try realm.beginWrite()
    try labels.insert(.string("b"))
    try counts.clear()
    #expect(try labels.count == 2)
    try realm.cancel()
    #expect(try labels.cells == [.string("a")])
    #expect(try counts.count == 1)
  }
}
