// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

private class Hound: Object {
  @Persisted var name: String
  @Persisted var friend: Hound?
  @Persisted var puppies: List<Hound>
  @Persisted(originProperty: "puppies") var parents: LinkingObjects<Hound>

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

/// Classes without a primary key, which only local realms can have.
@Suite struct KeylessTests {
  @Test func anObjectIsAddedWithAllItLinksTo() throws {
    let realm = try LocalFile().open()
    let ida = Hound("Ida")
    ida.friend = Hound("Rex")
    ida.friend?.friend = ida
    ida.puppies.append(objectsIn: [Hound("A"), Hound("B")])
    try realm.write { realm.add(ida) }
    #expect(realm.objects(Hound.self).map(\.name).sorted() == ["A", "B", "Ida", "Rex"])
    #expect(ida.friend?.friend == ida)
    #expect(ida.puppies.sorted(byKeyPath: "name", ascending: false).first?.name == "B")
    let puppy = try #require(ida.puppies.first)
    #expect(Array(puppy.parents) == [ida])
  }

  @Test func objectsAreCreatedFromValues() throws {
    let realm = try LocalFile().open()
    let dog = try realm.write {
      realm.create(Hound.self, value: ["name": "Rex", "puppies": [["name": "A"], ["name": "B"]]])
    }
    #expect(dog.puppies.map(\.name) == ["A", "B"])
    #expect(realm.objects(Hound.self).where { $0.name == "A" }.count == 1)
  }

  @Test func noObjectHasAKey() throws {
    let realm = try LocalFile().open()
    try realm.write { realm.add(Hound("Rex")) }
    #expect(realm.object(ofType: Hound.self, forPrimaryKey: "Rex") == nil)
  }
}
