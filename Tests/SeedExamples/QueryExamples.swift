// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Testing

private class Movie: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var priority: Int
  @Persisted var genres: List<String>

  override class func _realmObjectName() -> String? { "Movie" }
}

/// The queries in the section "List Queries" of "Manage Flexible Sync Subscriptions", which the translated page spells
/// out.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct QueryExamples {
  private func run(_ example: @MainActor (Realm) async throws -> Void) async throws {
    let schema = #"""
      {"title":"Movie","bsonType":"object","required":["_id","priority"],
      "properties":{"_id":{"bsonType":"objectId"},"priority":{"bsonType":"long"},
      "genres":{"bsonType":"array","items":{"bsonType":"string"}}}}
      """#
    let app = try WrittenApp(
      sync: #""queryable_fields_names":["priority","genres"]"#,
      role: WrittenApp.openRole,
      schemas: ["Movie": schema]
    )
    try await Device.run(app: app.path) { _ in
      var configuration = try await App(id: APPID).login(credentials: .anonymous).flexibleSyncConfiguration()
      configuration.objectTypes = [Movie.self]
      let realm = try await Realm(configuration: configuration)
      try await subscribe(realm, "TRUEPREDICATE")
      try realm.write {
        for (priority, genres) in [(1, ["comedy"]), (4, ["comedy", "horror"]), (3, ["horror"])] {
          realm.create(Movie.self, value: ["priority": priority, "genres": genres])
        }
      }
      try await realm.syncSession?.wait(for: .upload)
      try await example(realm)
    }
  }

  private func subscribe(_ realm: Realm, _ query: String) async throws {
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      subscriptions.removeAll()
      subscriptions.append(QuerySubscription<Movie>(where: query))
    }
  }

  private func priorities(_ realm: Realm) -> [Int] { realm.objects(Movie.self).map(\.priority).sorted() }

  // Feature 55, 107, 108
  @Test func aFieldIsComparedWithAListAndAListWithAConstant() async throws {
    try await run { realm in
      try await subscribe(realm, "priority IN { 1, 2, 3 }")
      #expect(priorities(realm) == [1, 3])
      try await subscribe(realm, "'comedy' IN genres")
      #expect(priorities(realm) == [1, 4])
    }
  }

  // Feature 109
  @Test(arguments: [
    "{'comedy', 'horror', 'suspense'} IN genres",
    "ANY {'comedy', 'horror', 'suspense'} != ANY genres",
  ])
  func listsAreNotComparedWithEachOther(query: String) async throws {
    try await run { realm in
      await #expect(throws: Realm.Error.self) { try await subscribe(realm, query) }
    }
  }
}
