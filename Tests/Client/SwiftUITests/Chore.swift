// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import FlexSyncOpenCombine

class Chore: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var room: String
  @Persisted var minutes: Int
  @Persisted var steps: List<String>
  @Persisted var next: List<Chore>
  @Persisted var helpers: MutableSet<String>
  @Persisted var tools: Map<String, Int>

  /// A word of the query language.
  override class func propertiesMapping() -> [String: String] { ["room": "none"] }

  convenience init(_ id: Int, _ name: String = "", room: String = "", minutes: Int = 0) {
    self.init()
    _id = id
    self.name = name
    self.room = room
    self.minutes = minutes
  }
}

class ChoreLine: Projection<Chore>, ObjectKeyIdentifiable {
  @Projected(\Chore.name) var text
}

/// A realm of the main actor in a file of the test's own, with three chores.
@MainActor
struct Home {
  private let folder: TemporaryFolder
  let realm: Realm

  var configuration: Realm.Configuration { realm.configuration }

  init() throws {
    folder = try TemporaryFolder()
    let realm = try Realm(fileURL: folder.file("home.realm"))
    try realm.write {
      realm.add(Chore(1, "dust", room: "hall", minutes: 10))
      realm.add(Chore(2, "cook", room: "kitchen", minutes: 60))
      realm.add(Chore(3, "wash up", room: "kitchen", minutes: 20))
    }
    self.realm = realm
  }

  func chore(_ id: Int) throws -> Chore {
    guard let chore = realm.object(ofType: Chore.self, forPrimaryKey: id) else {
      throw NeverHappened(description: "there is no chore \(id)")
    }
    return chore
  }
}
