// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Shop: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var storeID: Int
  @Persisted var region: String
  @Persisted var activePromotions: Int
  @Persisted var numEmployees: Int

  override class func _realmObjectName() -> String? { "Shop" }
  override class func propertiesMapping() -> [String: String] {
    ["storeID": "store_id", "activePromotions": "active_promotions", "numEmployees": "num_employees"]
  }
}

/// The documentation's queries on an indexed queryable field, as an app writes them.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct IndexedFieldTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func app() throws -> WrittenApp {
    try WrittenApp(
      sync: #"""
        "queryable_fields_names":["store_id","region","active_promotions","num_employees"],
        "indexed_queryable_fields_names":["store_id"]
        """#,
      role: WrittenApp.openRole,
      schemas: [
        "Shop": #"""
        {"title":"Shop","bsonType":"object",
        "required":["_id","store_id","region","active_promotions","num_employees"],
        "properties":{"_id":{"bsonType":"objectId"},"store_id":{"bsonType":"long"},"region":{"bsonType":"string"},
        "active_promotions":{"bsonType":"long"},"num_employees":{"bsonType":"long"}}}
        """#
      ]
    )
  }

  private func subscribe(_ realm: Realm, _ subscription: QuerySubscription<Shop>) async throws {
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      subscriptions.removeAll()
      subscriptions.append(subscription)
    }
  }

  // Feature 112, 113, 114, 115, 116, 117, 118, 119, 120
  @Test func argumentsAndConditionsPinTheFieldAndOtherQueriesFailWithTheReason() async throws {
    let directory = try app()
    try await TestServer.run(app: directory.path) { server in
      let app = App(
        id: TestServer.appID,
        configuration: AppConfiguration(baseURL: server.url, storageDirectory: folder.file("device"))
      )
      var configuration = try await app.login(credentials: .anonymous).flexibleSyncConfiguration()
      configuration.objectTypes = [Shop.self]
      let realm = try await Realm(configuration: configuration)
      try await subscribe(realm, QuerySubscription(where: "store_id IN $0", [1, 2, 3]))
      try realm.write {
        for number in 1...3 { realm.create(Shop.self, value: ["storeID": number, "region": "Northeast"]) }
      }
      for subscription in [
        QuerySubscription<Shop>(where: "store_id == $0", 2),
        QuerySubscription<Shop> { $0.storeID == 2 && ($0.activePromotions < 5 || $0.numEmployees < 10) },
        QuerySubscription<Shop> { $0.storeID.in([2, 4]) && $0.region == "Northeast" },
      ] {
        try await subscribe(realm, subscription)
        #expect(realm.objects(Shop.self).map(\.storeID) == [2])
      }
      for subscription in [
        QuerySubscription<Shop> { $0.storeID.in([1, 2, 3]) || $0.region == "Northeast" },
        QuerySubscription<Shop> { $0.storeID == 1 && $0.activePromotions < 5 || $0.numEmployees < 10 },
        QuerySubscription<Shop> { $0.storeID > 2 && $0.region == "Northeast" },
        QuerySubscription<Shop> { $0.region == "Northeast" }, QuerySubscription<Shop>(),
      ] {
        let error = await #expect(throws: Realm.Error.self) { try await subscribe(realm, subscription) }
        #expect(error?.code == .subscriptionFailed)
        #expect(
          error?.message
            == "Invalid query: unsupported query for table \"Shop\": the indexed queryable field \"store_id\" must be "
            + "compared with == or IN to a constant, and joined to the rest of the query by AND"
        )
        #expect(realm.objects(Shop.self).map(\.storeID) == [2])
      }
    }
  }
}
