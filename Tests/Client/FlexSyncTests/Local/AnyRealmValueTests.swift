// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

@Suite struct AnyRealmValueTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  private static let uuid = UUID()

  private static var scalars: [AnyRealmValue] {
    [
      .none, .int(-5), .bool(true), .float(1.5), .double(2), .string("é"), .data(Data([0, 255])),
      .date(Date(timeIntervalSince1970: 1_700_000_000)), .objectId(ObjectId("65a0000000000000000000ff")),
      .decimal128("1.50"), .uuid(uuid),
    ]
  }

  private func note(managed: Bool = true) throws -> Note {
    let note = Note()
    if managed { try realm.write { realm.add(note) } }
    return note
  }

  private func edit(_ note: Note, _ change: () -> Void) throws {
    if note.realm == nil { change() } else { try realm.write(change) }
  }

  @Test(arguments: [false, true])
  func anyScalarComesBack(managed: Bool) throws {
    let note = try note(managed: managed)
    #expect(note.any == .none)
    for value in Self.scalars {
      try edit(note) {
        note.any = value
        note.anything.append(value)
      }
      #expect(note.any == value)
    }
    #expect(Array(note.anything) == Self.scalars)
    #expect(note.any.uuidValue != nil && note.any.intValue == nil)
    #expect(note.anything[1].intValue == -5 && note.anything[9].decimal128Value == 1.5)
  }

  @Test(arguments: [false, true])
  func collectionsNest(managed: Bool) throws {
    let note = try note(managed: managed)
    // Collections are references: each place gets its own.
    var nested: AnyRealmValue {
      .fromDictionary([
        "a": .fromArray([.int(1), .fromArray([]), .fromDictionary(["x": .none])]), "b": .string("text"),
      ])
    }
    try edit(note) {
      note.any = nested
      note.anything.append(nested)
      note.byName["n"] = nested
    }
    #expect(note.any == nested && note.anything[0] == nested && note.byName["n"] == nested)
    #expect(note.any.dictionaryValue?["a"]?.listValue?[2].dictionaryValue?["x"] == AnyRealmValue.none)
    try edit(note) {
      note.any.dictionaryValue?["a"]?.listValue?.append(.int(9))
      note.any.dictionaryValue?["b"] = nil
      note.anything[0].dictionaryValue?["b"] = .fromArray([.bool(true)])
      note.byName["n"]?.dictionaryValue?["a"]?.listValue?.remove(at: 0)
    }
    #expect(
      note.any
        == .fromDictionary([
          "a": .fromArray([.int(1), .fromArray([]), .fromDictionary(["x": .none]), .int(9)])
        ])
    )
    #expect(note.anything[0].dictionaryValue?["b"]?.listValue?.first == .bool(true))
    #expect(note.byName["n"]?.dictionaryValue?["a"]?.listValue?.count == 2)
    try edit(note) { note.any = .int(1) }
    #expect(note.any == .int(1))
  }

  @Test func aValueCanBeAssignedToItselfAndMovedInward() throws {
    let note = try note()
    try realm.write { note.any = .fromArray([.int(1), .fromArray([.int(2)])]) }
    try realm.write { note.any = note.any }
    #expect(note.any == .fromArray([.int(1), .fromArray([.int(2)])]))
    try realm.write { note.any = note.any.listValue?[1] ?? AnyRealmValue.none }
    #expect(note.any == .fromArray([.int(2)]))
    try realm.write { note.any.listValue?.append(note.any) }
    #expect(note.any == .fromArray([.int(2), .fromArray([.int(2)])]))
  }

  @Test func aListThatIsHeldBecomesTheOneOfTheRow() throws {
    let note = Note()
    let list = List<AnyRealmValue>()
    list.append(.int(1))
    note.any = .list(list)
    try realm.write {
      realm.add(note)
      list.append(.int(2))
    }
    #expect(list.realm != nil && note.any == .fromArray([.int(1), .int(2)]))
  }

  @Test func linksLeadToObjectsOfAnyClass() throws {
    let note = try note()
    let other = Note()
    other._id = 2
    try realm.write {
      note.any = .object(other)
      note.anything.append(.fromArray([.object(other)]))
    }
    #expect(other.realm != nil)
    #expect(note.any.object(Note.self)?._id == 2)
    #expect(note.anything[0].listValue?[0].object(Note.self) == other)
    try realm.write { realm.delete(other) }
    #expect(note.any == .none && note.anything[0] == .fromArray([.none]))
  }

  @Test func valuesAreGivenByName() throws {
    try realm.write {
      realm.create(
        Note.self,
        value: [
          "_id": 3, "any": ["list": [1, "a", NSNull()] as [Any], "flag": true] as [String: Any],
          "anything": [1.5, Data()] as [Any],
        ]
          as [String: Any]
      )
    }
    let note = try #require(realm.object(ofType: Note.self, forPrimaryKey: 3))
    #expect(
      note.any == .fromDictionary(["list": .fromArray([.int(1), .string("a"), .none]), "flag": .bool(true)])
    )
    #expect(Array(note.anything) == [.double(1.5), .data(Data())])
    try realm.write { note["any"] = 7 }
    #expect(note["any"] as? Int == 7 && note.any == .int(7))
  }

  @Test func anUpdateOfAnObjectKeepsEqualValues() throws {
    let note = try note()
    try realm.write { note.any = .fromArray([.int(1)]) }
    let same = Note()
    same.any = .fromArray([.int(1)])
    same.anything.append(.fromArray([]))
    try realm.write { realm.add(same, update: .modified) }
    #expect(note.any == .fromArray([.int(1)]) && Array(note.anything) == [.fromArray([])])
  }
}
