// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncCore

/// What is uploaded when a collection inside of a list is cleared: its elements go one by one, since Realm peers would
/// clear another element of the outer list if something is inserted or erased beside it at the same time.
@Suite struct NestedClearingTests {
  @Test func collectionsInAListAreEmptiedElementByElement() throws {
    let account = try TestAccount()
    let realm = try account.open(memory: "nested-clearing", classes: .notes)
    try realm.updateSubscriptions { try $0.add(realm.objects("Note")) }
    let note = try realm.write { try realm.create("Note", .int(1)) }
    let anything = try note.list("anything")
    try realm.write {
      try anything.insertList(at: 0)
      for number in 1...3 { try Place.element(anything, 0).list().append(.int(Int64(number))) }
      try anything.insertDictionary(at: 1)
      let dictionary = try Place.element(anything, 1).dictionary()
      defer { flx_dictionary_release(dictionary) }
      for key in ["a", "b"] { try Entries.set(dictionary, key, .bool(true)) }
    }
    let before = try uploads(realm).count
    try realm.write {
      try Place.element(anything, 0).list().clear()
      let dictionary = try Place.element(anything, 1).dictionary()
      defer { flx_dictionary_release(dictionary) }
      try attempt { flx_dictionary_clear(dictionary, $0) }
      #expect(try Entries.all(dictionary) == [])
    }
    #expect(try Place.element(anything, 0).list().cells == [])

    let instructions = try uploads(realm).dropFirst(before).flatMap { $0 }
    #expect(instructions.count == 5)
    for instruction in instructions {
      guard case .clear(let path, _) = instruction else { continue }
      Issue.record("\(path) is cleared")
    }
    try expectChangesetsMakeTheSameObjects(realm, 0)
  }

  @Test func aPropertyIsClearedAsAWhole() throws {
    let account = try TestAccount()
    let realm = try account.open(memory: "whole-clearing", classes: .notes)
    try realm.updateSubscriptions { try $0.add(realm.objects("Note")) }
    let note = try realm.write { try realm.create("Note", .int(1)) }
    try realm.write { try Place.property(note, "any").setList() }
    try realm.write { try Place.property(note, "any").list().append(.int(1)) }
    try realm.write { try Place.property(note, "any").list().clear() }
    guard case .clear(_, .list)? = try uploads(realm).last?.last else {
      Issue.record("the last instruction is no Clear")
      return
    }
  }

  private func uploads(_ realm: TestRealm) throws -> [[Instruction]] {
    let file = (Handle.object(realm.handle) as Realm).file
    return try file.uploads(after: 0, byteLimit: .max).entries.map {
      try ChangesetCodec.decode($0.changeset).instructions
    }
  }
}
