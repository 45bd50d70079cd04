// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Notifications of results, objects and realms.
@Suite struct ObservationTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
    try realm.write { realm.add((1...4).map { Everything($0) }) }
  }

  /// What an observer of results was told.
  private final class Log<Element: Object> {
    var entries: [String] = []

    func receive(_ change: RealmCollectionChange<Results<Element>>) {
      switch change {
      case .initial(let results): entries.append("initial \(results.count)")
      case .update(let results, let deletions, let insertions, let modifications):
        entries.append("\(results.count): -\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): entries.append("error \(error)")
      }
    }
  }

  @Test func resultsTellWhatCameWentAndChanged() throws {
    let log = Log<Everything>()
    let token = realm.objects(Everything.self).where { $0.int < 10 }.observe(log.receive)
    realm.refresh()
    #expect(log.entries == ["initial 4"])
    let all = realm.objects(Everything.self)
    try realm.write {
      all[1].string = "changed"
      all[3].int = 11
      realm.add(Everything(5))
    }
    #expect(log.entries.last == "4: -[3] +[3] ~[1]")
    try realm.write { realm.delete(all[0]) }
    #expect(log.entries.last == "3: -[0] +[] ~[]")
    token.invalidate()
    try realm.write { realm.deleteAll() }
    #expect(log.entries.count == 3)
  }

  @Test func transactionsOfOtherRealmsAreToldOnRefresh() throws {
    let log = Log<Everything>()
    let token = realm.objects(Everything.self).observe(log.receive)
    realm.refresh()
    let other = try file.open()
    try other.write { other.add(Everything(9)) }
    #expect(log.entries == ["initial 4"])
    realm.refresh()
    #expect(log.entries == ["initial 4", "5: -[] +[4] ~[]"])
    token.invalidate()
  }

  @Test func nothingIsToldOfTransactionsThatChangeNothingInTheResults() throws {
    let log = Log<Everything>()
    let token = realm.objects(Everything.self).where { $0._id == 1 }.observe(log.receive)
    realm.refresh()
    try realm.write { realm.add(Everything(9)) }
    try realm.write {}
    #expect(log.entries == ["initial 1"])
    token.invalidate()
  }

  @Test func objectsTellChangedPropertiesAndDeletion() throws {
    var entries: [String] = []
    let object = try #require(realm.object(ofType: Everything.self, forPrimaryKey: 2))
    let token = object.observe { change in
      switch change {
      case .change(let same, let properties):
        #expect(same == object)
        entries.append(
          properties.map { "\($0.name)=\($0.newValue ?? "nil")" }.sorted().joined(separator: ",")
        )
      case .deleted: entries.append("deleted")
      case .error(let error): entries.append("\(error)")
      }
    }
    try realm.write {
      object.int = 5
      object.optionalString = "x"
    }
    try realm.write { realm.objects(Everything.self)[0].int = 1 }
    try realm.write { object.optionalString = nil }
    try realm.write { realm.delete(object) }
    #expect(entries == ["int=5,optionalString=x", "optionalString=nil", "deleted"])
    token.invalidate()
  }

  @Test func realmsTellEachTransactionThatChangesData() throws {
    var count = 0
    let token = realm.observe { notification, realm in
      #expect(notification == .didChange && realm == self.realm)
      count += 1
    }
    try realm.write { realm.add(Everything(9)) }
    #expect(count == 1)
    let other = try file.open()
    try other.write { other.add(Everything(10)) }
    realm.refresh()
    #expect(count == 2)
    token.invalidate()
    try realm.write { realm.add(Everything(11)) }
    #expect(count == 2)
  }

  @Test func theFirstUseOfAClassIsNoTransaction() throws {
    var count = 0
    let token = realm.observe { _, _ in count += 1 }
    #expect(realm.objects(Person.self).isEmpty)
    #expect(count == 0)
    try realm.write {}
    #expect(count == 1)
    token.invalidate()
  }

  @Test func observationEndsWithTheToken() throws {
    let log = Log<Everything>()
    do {
      let token = realm.objects(Everything.self).observe(log.receive)
      realm.refresh()
      _ = consume token
    }
    try realm.write { realm.deleteAll() }
    #expect(log.entries == ["initial 4"])
  }

  // Feature 191
  @Test @MainActor func realmsOfTheMainActorFollowByThemselves() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let log = Log<Everything>()
    let token = realm.objects(Everything.self).observe(log.receive)
    try await eventually { log.entries == ["initial 4"] }
    let file = file
    try await inBackground {
      let other = try file.open()
      try other.write { other.add(Everything(9)) }
    }
    try await eventually { log.entries.last == "5: -[] +[4] ~[]" }
    token.invalidate()
  }
}
