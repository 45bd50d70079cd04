// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Reading: AsymmetricObject {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var sensor: String
  @Persisted var values: List<Double>
  @Persisted var place: ReadingPlace?

  override class func _realmObjectName() -> String? { "Reading" }
}

private class ReadingPlace: EmbeddedObject {
  @Persisted var name: String
}

private class Watcher: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var last: Reading?
}

/// Models that are uploaded and not kept. That they can be neither queried nor subscribed to is up to the compiler:
/// `Realm.objects` and `QuerySubscription` take subclasses of `Object` only.
@MainActor @Suite struct AsymmetricTests {
  @Test func aLocalRealmRefusesAsymmetricObjects() throws {
    let file = try LocalFile()
    var configuration = file.configuration
    configuration.objectTypes = [Reading.self]
    #expect {
      _ = try Realm(configuration: configuration)
    } throws: { error in
      "\(error)".contains("Asymmetric table 'Reading' not allowed in a local Realm")
    }
  }

  @Test func aLinkToAnAsymmetricObjectIsRefused() throws {
    let file = try LocalFile()
    var configuration = file.configuration
    configuration.objectTypes = [Watcher.self]
    #expect(throws: (any Error).self) { _ = try Realm(configuration: configuration) }
  }

  @Test func anObjectInMemoryIsMadeOfValues() {
    let reading = Reading(value: ["sensor": "roof", "values": [1.5, 2.5], "place": ["name": "Graz"]])
    #expect(reading.sensor == "roof" && Array(reading.values) == [1.5, 2.5] && reading.place?.name == "Graz")
    #expect(reading.realm == nil)
  }
}
