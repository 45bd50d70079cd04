// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Testing

/// The examples of "Write Data to a Synced Realm", with the queryable fields and the role of that page.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct WriteExamples {
  private let printed = Recorder<String>()

  /// Runs an example with the realm that the page opens.
  private func run(_ example: @MainActor (TestServer, Realm, User) async throws -> Void) async throws {
    let directory = try ItemApp()
    try await Device.run(app: directory.path) { server in
      var opened: (Realm, User)?

      let app = App(id: APPID)
      logRejectedWrites(app)
      do {
        let user = try await app.login(credentials: Credentials.anonymous)
        do {
          var flexSyncConfig = user.flexibleSyncConfiguration()
          flexSyncConfig.objectTypes = [Item.self]
          let realm = try await Realm(configuration: flexSyncConfig)
          let subscriptions = realm.subscriptions
          try await subscriptions.update {
            subscriptions.append(
              QuerySubscription<Item>(name: "simple-items") {
                $0.complexity <= 4
              }
            )
          }
          print("Successfully opened realm: \(realm)")
          opened = (realm, user)
        } catch {
          print("Failed to open realm: \(error.localizedDescription)")
        }
      } catch {
        fatalError("Login failed: \(error.localizedDescription)")
      }

      let (realm, user) = try #require(opened)
      try await example(server, realm, user)
    }
  }

  /// The page's error handler. In place of its further cases is a `default`, and `String(describing:)` says that the
  /// optionals are to be printed as such.
  private func logRejectedWrites(_ myApp: App) {
    let printed = printed
    @Sendable nonisolated func print(_ line: String) { printed.add(line) }

    myApp.syncManager.errorHandler = { syncError, session in
      if let thisError = syncError as? SyncError {
        switch thisError.code {
        case .writeRejected:
          if let compensatingWriteErrorInfo = thisError.compensatingWriteInfo {
            for anError in compensatingWriteErrorInfo {
              print("A write was rejected with a compensating write error")
              print("The write to object type: \(String(describing: anError.objectType))")
              print("With primary key of: \(anError.primaryKey)")
              print("Was rejected because: \(String(describing: anError.reason))")
            }
          }
        default:
          print("\(thisError)")
        }
      }
    }
  }

  private func expectRejection(of id: ObjectId, because reason: String, in realm: Realm) async throws {
    #expect(realm.objects(Item.self).map(\._id) == [id], "at first, the write succeeds")
    try await eventually("the end of the object") { realm.objects(Item.self).isEmpty }
    try await eventually("the error") { printed.all.count == 4 }
    #expect(
      printed.all == [
        "A write was rejected with a compensating write error",
        #"The write to object type: Optional("Item")"#,
        "With primary key of: objectId(\(id))",
        #"Was rejected because: Optional("write to \"\#(id)\" in table \"Item\" \#(reason)")"#,
      ]
    )
    #expect(realm.syncSession?.state == .active, "the session goes on")
  }

  /// What the server logged about writes that it rejected.
  private func logged(_ server: TestServer) throws -> [[String: [String: String]]?] {
    try server.logs("--errors", "--json").map { line in
      let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return record?["writes"] as? [String: [String: String]]
    }
  }

  // Feature 121, 122, 123, 124, 126
  @Test func aWriteWithinTheSubscriptionAndThePermissionsSyncs() async throws {
    try await run { server, realm, user in
      do {
        let learnRealm = Item()
        learnRealm.ownerId = user.id
        learnRealm.itemName = "Learn Realm CRUD stuff"
        learnRealm.complexity = 3
        try realm.write {
          realm.add(learnRealm)
        }
      } catch {
        print("Failed to write to realm: \(error.localizedDescription)")
      }

      try await realm.syncSession?.wait(for: .upload)
      try await realm.syncSession?.wait(for: .download)
      #expect(realm.objects(Item.self).map(\.itemName) == ["Learn Realm CRUD stuff"])
      #expect(try logged(server).isEmpty && printed.all.isEmpty)
      var elsewhere = realm.configuration
      elsewhere.fileURL = Device.current?.folder.file("second.realm")
      let second = try await Realm(configuration: elsewhere)
      try await second.objects(Item.self).where { $0.complexity <= 4 }.subscribe()
      #expect(second.objects(Item.self).map(\.itemName) == ["Learn Realm CRUD stuff"])
    }
  }

  // Feature 11, 122, 127, 128, 130, 131, 134, 135, 137
  @Test func aWriteOutsideOfTheSubscriptionIsReverted() async throws {
    try await run { server, realm, user in
      var id = ObjectId.generate()
      do {
        let fixTheBug = Item()
        fixTheBug.ownerId = user.id
        fixTheBug.itemName = "Fix the bug with the failing method"
        fixTheBug.complexity = 7
        try realm.write {
          realm.add(fixTheBug)
        }
        id = fixTheBug._id
      } catch {
        print("Failed to write to realm: \(error.localizedDescription)")
      }

      try await expectRejection(
        of: id,
        because: "not allowed; object is outside of the current query view",
        in: realm
      )
      #expect(
        try logged(server) == [
          [
            "Item": [
              "\(id)":
                "write to \"\(id)\" in table \"Item\" not allowed; object is outside of the current query view"
            ]
          ]
        ]
      )
    }
  }

  // The page says that the client's error is the same as for a write outside of the subscription. That is so for its
  // code and its message; the reason of the single write does not name a view.
  // Feature 122, 127, 128, 130, 132, 134, 137
  @Test func aWriteOutsideOfThePermissionsIsReverted() async throws {
    try await run { server, realm, user in
      var id = ObjectId.generate()
      do {
        let itemWithWrongOwner = Item()
        itemWithWrongOwner.ownerId = "This string does not match the user.id"
        itemWithWrongOwner.itemName = "Write code that generates a permission error"
        itemWithWrongOwner.complexity = 1
        try realm.write {
          realm.add(itemWithWrongOwner)
        }
        id = itemWithWrongOwner._id
      } catch {
        print("Failed to write to realm: \(error.localizedDescription)")
      }

      try await expectRejection(of: id, because: "not allowed", in: realm)
      #expect(
        try logged(server) == [
          [
            "Item": [
              "\(id)":
                "write to \"\(id)\" in table \"Item\" was denied by write filter in role \"owner-read-write\""
            ]
          ]
        ]
      )
    }
  }
}
