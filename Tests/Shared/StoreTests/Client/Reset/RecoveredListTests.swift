// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// What becomes of lists in a client reset with recovery (protocol §9.4.4).
@Suite struct RecoveredListTests {
  @Test func insertedElementsAreInsertedAmongThoseOfTheServer() throws {
    #expect(
      try recover(["a", "b"], local: [insert("x", 2, of: 2)], server: [insert("s", 0, of: 2)])
        == ["s", "a", "x", "b"]
    )
  }

  @Test func neighboursStayTogether() throws {
    let local = [insert("x", 1, of: 1), insert("y", 2, of: 2), insert("w", 1, of: 3)]
    #expect(try recover(["a"], local: local, server: [erase(0, of: 1)]) == ["w", "x", "y"])
  }

  @Test func changesToOwnElementsAreRepeated() throws {
    let local = [
      insert("x", 1, of: 1), insert("y", 2, of: 2), set("X", 1, of: 3), erase(2, of: 3),
      insert("z", 0, of: 2),
      move(0, 2, of: 3),
    ]
    #expect(
      try recover(["a"], local: local, server: [insert("s", 1, of: 1), insert("t", 0, of: 2)])
        == ["t", "X", "z", "a", "s"]
    )
  }

  @Test(arguments: ["set", "erase", "move"]) func aChangeToAnotherElementCopiesTheList(kind: String) throws {
    let change =
      switch kind {
      case "set": set("B", 1, of: 3)
      case "erase": erase(1, of: 3)
      default: move(1, 0, of: 3)
      }
    let expected =
      switch kind {
      case "set": ["a", "B", "c", "x"]
      case "erase": ["a", "c", "x"]
      default: ["b", "a", "c", "x"]
      }
    let count = kind == "erase" ? 2 : 3
    let local = [change, insert("x", UInt32(count), of: UInt32(count))]
    #expect(
      try recover(["a", "b", "c"], local: local, server: [insert("s", 0, of: 3), erase(3, of: 4)]) == expected
    )
  }

  @Test func afterClearingTheListAllElementsAreKnown() throws {
    let local = [Instruction.clear(task(1).at("tags"), .list), insert("x", 0, of: 0), set("y", 0, of: 1)]
    #expect(try recover(["a"], local: local, server: [insert("s", 0, of: 1)]) == ["y"])
  }

  @Test func listsOfOtherObjectsAreLeftAlone() throws {
    let scene = try ResetScene([.createObject(task(1)), .createObject(task(2))])
    try scene.local.writeLocally([insert("x", 0, of: 0)])
    try scene.changeOnServer([.arrayInsert(task(2).at("tags", 0), .value(.string("s")), priorSize: 0)])
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(try scene.local.objects.list(task(2), "tags") == [.string("s")])
    #expect(try scene.local.objects.list(task(1), "tags") == [.string("x")])
  }

  @Test func embeddedElementsOfOthersAreCopiedWithTheirList() throws {
    let addresses = contact(1).path("addresses")
    let street = { contact(1).path("addresses", $0, "street") }
    let scene = try ResetScene([
      .createObject(contact(1)), .arrayInsert(contact(1).path("addresses", 0), .object, priorSize: 0),
      .update(street(0), .value(.string("base")), .isDefault(false)),
    ])
    try scene.local.writeLocally([.update(street(0), .value(.string("mine")), .isDefault(false))])
    try scene.changeOnServer([.arrayInsert(contact(1).path("addresses", 0), .object, priorSize: 1)])
    try scene.local.reset(to: scene.fresh, .recover)
    let list = try #require(try scene.local.objects.listProperty(at: addresses))
    #expect(try scene.local.objects.listCount(row: list.row, list.column) == 1)
    try scene.expectUploadsLeadToTheSameState()
    #expect(try scene.recovered().contains(.update(street(0), .value(.string("mine")), .isDefault(false))))
  }

  @Test func ownEmbeddedElementsAreRepeatedAmongThoseOfTheServer() throws {
    let scene = try ResetScene([.createObject(contact(1))])
    let element = { contact(1).path("addresses", $0) }
    try scene.local.writeLocally([
      .arrayInsert(element(0), .object, priorSize: 0),
      .update(contact(1).path("addresses", 0, "street"), .value(.string("mine")), .isDefault(false)),
      .arrayInsert(contact(1).path("addresses", 0, "tags", 0), .value(.string("t")), priorSize: 0),
    ])
    try scene.changeOnServer([.arrayInsert(element(0), .object, priorSize: 0)])
    try scene.local.reset(to: scene.fresh, .recover)
    #expect(try scene.recovered().count == 3)
    let list = try #require(try scene.local.objects.listProperty(at: contact(1).path("addresses")))
    #expect(try scene.local.objects.listCount(row: list.row, list.column) == 2)
    try scene.expectUploadsLeadToTheSameState()
  }

  @Test func nestedListsFollowTheSameRules() throws {
    let any = note(1).at("any")
    let base =
      [.createObject(note(1))] + Instruction.placing(.list([.int(1), .int(2)]), at: any, replacing: true)
    let theirs = Instruction.arrayInsert(any.appending(.index(0)), .value(.int(0)), priorSize: 2)
    let cases: [(Instruction, Value)] = [
      (
        .arrayInsert(any.appending(.index(2)), .value(.int(9)), priorSize: 2),
        .list([.int(0), .int(1), .int(9), .int(2)])
      ),
      (.update(any.appending(.index(1)), .value(.int(9)), .priorSize(2)), .list([.int(1), .int(9)])),
    ]
    for (change, expected) in cases {
      let scene = try ResetScene(base)
      try scene.local.writeLocally([change])
      try scene.changeOnServer([theirs])
      try scene.local.reset(to: scene.fresh, .recover)
      #expect(try scene.local.objects.read(note(1), "any") == expected)
      try scene.expectUploadsLeadToTheSameState()
    }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>) func differencesOfListsLeadFromOneToTheOther(seed: UInt64)
  {
    var generator = SeededGenerator(seed: seed)
    let old = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
      Int.random(in: 0...4, using: &generator)
    }
    let new = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
      Int.random(in: 0...4, using: &generator)
    }
    var list = old
    for hunk in ListDifference.hunks(from: old, to: new).reversed() {
      list.replaceSubrange(hunk.old, with: new[hunk.new])
    }
    #expect(list == new)
  }

  // MARK: Support

  private func recover(_ base: [String], local: [Instruction], server: [Instruction]) throws -> [String] {
    let tags = base.enumerated().map { insert($1, UInt32($0), of: UInt32($0)) }
    let scene = try ResetScene([.createObject(task(1))] + tags)
    try scene.local.writeLocally(local)
    try scene.changeOnServer(server)
    try scene.local.reset(to: scene.fresh, .recover)
    let result = try scene.local.objects.list(task(1), "tags")
    try scene.expectUploadsLeadToTheSameState()
    return result.map { if case .string(let text) = $0 { text } else { "" } }
  }

  private func insert(_ text: String, _ index: UInt32, of count: UInt32) -> Instruction {
    .arrayInsert(task(1).at("tags", index), .value(.string(text)), priorSize: count)
  }

  private func set(_ text: String, _ index: UInt32, of count: UInt32) -> Instruction {
    .update(task(1).at("tags", index), .value(.string(text)), .priorSize(count))
  }

  private func erase(_ index: UInt32, of count: UInt32) -> Instruction {
    .arrayErase(task(1).at("tags", index), priorSize: count)
  }

  private func move(_ from: UInt32, _ to: UInt32, of count: UInt32) -> Instruction {
    .arrayMove(task(1).at("tags", from), to: to, priorSize: count)
  }
}
