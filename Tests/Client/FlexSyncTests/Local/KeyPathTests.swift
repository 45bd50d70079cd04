// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// The names of key paths, and what observers of key paths are told.
@Suite struct KeyPathTests {
  let file: LocalFile
  let realm: Realm
  let ada = Person("Ada", dog: Dog())
  let bob = Person("Bob")

  init() throws {
    file = try LocalFile()
    realm = try file.open()
    try realm.write {
      ada.friends.append(bob)
      realm.add([ada, bob])
    }
  }

  @Test func namesFollowLinksAndCollections() {
    #expect(_name(for: \Person.age) == "age")
    #expect(_name(for: \Person.dog) == "dog")
    #expect(_name(for: \Person.dog?.name) == "dog.name")
    #expect(_name(for: \Person.dog?.owner?.friends[0].dog?.owner) == "dog.owner.friends.dog.owner")
    #expect(_name(for: \Lists.objects[0].link?.link?.int) == "objects.link.link.int")
    #expect(_name(for: \Sets.objects[0].int) == "objects.int")
    #expect(_name(for: \Maps.objects["k"]??.int) == "objects.int")
    #expect(_name(for: \Stage.previous[0].alsoPrevious[0].level) == "previous.alsoPrevious.level")
    #expect(_name(for: \Renamed.partner?.dog?.name) == "partner.dog.name")
    #expect(_name(for: \Renamed.title) == "title")
  }

  /// What an observer was told.
  private final class Log {
    var lines: [String] = []

    func note<ObjectType>(_ change: ObjectChange<ObjectType>) {
      switch change {
      case .change(_, let properties): lines.append(properties.map(\.name).sorted().joined(separator: ","))
      case .deleted: lines.append("deleted")
      case .error(let error): lines.append("\(error)")
      }
    }

    func note<Collection>(_ change: RealmCollectionChange<Collection>) {
      guard case .update(_, let deletions, let insertions, let modifications) = change else { return }
      lines.append("-\(deletions) +\(insertions) ~\(modifications)")
    }

    func note<Value>(_ change: RealmMapChange<Map<String, Value>>) {
      guard case .update(_, _, _, let modifications) = change else { return }
      lines.append("~\(modifications)")
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  @Test func objectsTellWhatIsAtTheirPaths() throws {
    let log = Log()
    let tokens = [
      ada.observe(keyPaths: ["dog.name"]) { (change: ObjectChange<Person>) in log.note(change) },
      ada.observe(keyPaths: [\.age, \.friends[0].age]) { log.note($0) },
    ]
    let dog = try #require(ada.dog)
    try realm.write { dog.name = "Fido" }
    #expect(log.take() == ["dog"])
    try realm.write { dog.owner = bob }
    #expect(log.take() == [])
    try realm.write {
      ada.age = 3
      bob.age = 4
    }
    #expect(log.take() == ["age,friends"])
    try realm.write { ada.dog = nil }
    #expect(log.take() == ["dog"])
    try realm.write { realm.delete(ada) }
    #expect(log.take() == ["deleted", "deleted"])
    for token in tokens { token.invalidate() }
  }

  @Test func aBlockMayReceiveTheObjectAsOneOfASuperclass() throws {
    let log = Log()
    let block: (ObjectChange<ObjectBase>) -> Void = { log.note($0) }
    let token = ada.observe(keyPaths: ["age"], block)
    try realm.write { ada.age = 3 }
    #expect(log.take() == ["age"])
    token.invalidate()
  }

  @Test func linkingObjectsAreToldByTheirName() throws {
    let log = Log()
    let (first, second) = (Stage(value: ["_id": 1]), Stage(value: ["_id": 2]))
    try realm.write { realm.add([first, second]) }
    let token = first.observe(keyPaths: ["previous.level"]) { log.note($0) }
    try realm.write { second.next = first }
    #expect(log.take() == ["previous"])
    try realm.write { second.level = 7 }
    #expect(log.take() == ["previous"])
    try realm.write { first.level = 7 }
    #expect(log.take() == [])
    token.invalidate()
  }

  @Test func textsFollowLinksBackwards() throws {
    let log = Log()
    let (dog, renamed) = (try #require(ada.dog), Renamed())
    renamed.partner = ada
    let tokens = [
      ada.observe(keyPaths: ["@links.Dog.owner.name", "@links.Other.partner.title"]) { log.note($0) },
      dog.observe(keyPaths: ["owner.@links.Other.partner.title"]) { log.note($0) },
      realm.objects(Person.self).observe(keyPaths: ["@links.Other.partner.title"]) { log.note($0) },
      ada.friends.observe(keyPaths: ["@links.Person.friends.age"]) { log.note($0) },
    ]
    realm.refresh()
    try realm.write { dog.owner = ada }
    #expect(log.take() == ["@links.Dog.owner", "owner"])
    try realm.write { dog.name = "Fido" }
    #expect(log.take() == ["@links.Dog.owner"])
    try realm.write { realm.add(renamed, update: .modified) }
    #expect(log.take() == ["@links.Other.partner", "owner", "-[] +[] ~[0]"])
    try realm.write { renamed.title = "new" }
    #expect(log.take() == ["@links.Other.partner", "owner", "-[] +[] ~[0]"])
    try realm.write { ada.age = 40 }
    #expect(log.take() == ["-[] +[] ~[0]"])
    for token in tokens { token.invalidate() }
  }

  @Test(arguments: [
    ("@links.Dog.nothing", "property 'nothing' not found in object of type 'Dog'"),
    ("@links.Dog.name", "property 'name' not found in object of type 'Dog'"),
    ("@links.Nothing.owner", "Nothing"), ("@links", "@links"),
  ])
  func aTextThatFollowsNoLinkBackwardsStopsTheProgram(path: String, message: String) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path] in
      let realm = try LocalFile().open()
      let person = Person("Ada", dog: Dog())
      try realm.write { realm.add(person) }
      _ = person.observe(keyPaths: [path]) { _ in }
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains(message), "\(output)")
  }

  @Test func renamedPropertiesAreObservedByTheirSwiftNames() throws {
    let log = Log()
    let renamed = Renamed()
    try realm.write { realm.add(renamed) }
    let tokens = [
      renamed.observe(keyPaths: ["title"]) { log.note($0) },
      realm.objects(Renamed.self).observe(keyPaths: [\.title]) { log.note($0) },
    ]
    realm.refresh()
    try realm.write { renamed.title = "x" }
    #expect(log.take() == ["title", "-[] +[] ~[0]"])
    for token in tokens { token.invalidate() }
  }

  @Test func collectionsTellWhatIsAtTheirPaths() throws {
    let (lists, sets, maps) = (Lists(), Sets(), Maps())
    let object = Everything(1)
    try realm.write {
      lists.objects.append(object)
      sets.objects.insert(object)
      maps.objects["k"] = object
      realm.add(lists)
      realm.add(sets)
      realm.add(maps)
    }
    let log = Log()
    let tokens = [
      lists.objects.observe(keyPaths: [\.int]) { log.note($0) },
      sets.objects.observe(keyPaths: ["int"]) { log.note($0) },
      maps.objects.observe(keyPaths: [\.int]) { log.note($0) },
      realm.objects(Everything.self).observe(keyPaths: [\.int, \.link?.int]) { log.note($0) },
    ]
    realm.refresh()
    try realm.write { object.string = "x" }
    #expect(log.take() == [])
    try realm.write { object.int = 5 }
    #expect(log.take() == ["-[] +[] ~[0]", "-[] +[] ~[0]", #"~["k"]"#, "-[] +[] ~[0]"])
    for token in tokens { token.invalidate() }
  }

  @Test func oldValuesHaveTheTypesOfTheirProperties() throws {
    let object = Everything(1)
    try realm.write {
      object.link = object
      realm.add(object)
    }
    var changes: [String: PropertyChange] = [:]
    let token = object.observe { change in
      guard case .change(_, let properties) = change else { return }
      for property in properties { changes[property.name] = property }
    }
    let other = try file.open()
    let same = try #require(other.object(ofType: Everything.self, forPrimaryKey: 1))
    try other.write {
      same.int8 = 7
      same.string = "new"
      same.priority = .high
      same.optionalDate = .distantPast
      same.link = nil
    }
    realm.refresh()
    #expect(changes["int8"]?.oldValue as? Int8 == 0)
    #expect(changes["int8"]?.newValue as? Int8 == 7)
    #expect(changes["string"]?.oldValue as? String == "")
    #expect(changes["priority"]?.oldValue as? String == "low")
    #expect(changes["optionalDate"]?.oldValue == nil)
    #expect(changes["link"]?.oldValue as? Everything == object)
    #expect(changes["link"]?.newValue == nil)
    changes = [:]
    try realm.write { object.int8 = 8 }
    #expect(changes["int8"]?.oldValue == nil)
    token.invalidate()
  }
}

private class Stage: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var level: Int
  @Persisted var next: Stage?
  @Persisted(originProperty: "next") var previous: LinkingObjects<Stage>
  @Persisted(originProperty: "next") var alsoPrevious: LinkingObjects<Stage>
}
