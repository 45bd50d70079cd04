// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import FlexSyncTestSupport
import Foundation
import Testing

/// The objects of the other process: Tests/Processes/Peer.
final class Errand: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
}

/// Two processes with one realm.
@Suite(.timeLimit(.minutes(15))) @MainActor struct ProcessTests {
  private let file: LocalFile
  private let configuration: Realm.Configuration

  init() throws {
    file = try LocalFile()
    var configuration = file.configuration
    configuration.objectTypes = [Errand.self]
    self.configuration = configuration
  }

  @Test func aRealmOfTheMainActorFollowsAnotherProcess() async throws {
    let realm = try await Realm(configuration: configuration)
    try realm.write {
      for number in 0..<5 { realm.create(Errand.self, value: ["_id": number, "name": "old"]) }
    }
    let peer = try ProcessPeer(local: try #require(configuration.fileURL).path)
    var changes: [String] = []
    let token = realm.objects(Errand.self).observe { change in
      switch change {
      case .initial: changes.append("initial")
      case .update(let errands, let deletions, let insertions, let modifications):
        changes.append("\(errands.count): -\(deletions) +\(insertions) ~\(modifications)")
      case .error: break
      }
    }
    try await eventually("the first report") { changes.count == 1 }
    let third = try #require(realm.object(ofType: Errand.self, forPrimaryKey: 3))
    var properties: [String] = []
    let objectToken = third.observe { change in
      guard case .change(_, let changed) = change else { return }
      properties += changed.map { "\($0.name): \($0.oldValue ?? "") → \($0.newValue ?? "")" }
    }
    try peer.perform("rename 3 new")
    try await eventually("the report of the new name") { changes.count == 2 }
    try peer.perform("create 9 another")
    try await eventually("the report of the new object") { changes.count == 3 }
    try peer.perform("rename 3 new")
    try await eventually("the report of the same name") { changes.count == 4 }
    #expect(changes == ["initial", "5: -[] +[] ~[3]", "6: -[] +[5] ~[]", "6: -[] +[] ~[3]"])
    #expect(properties == ["name: old → new", "name: new → new"])
    token.invalidate()
    objectToken.invalidate()
  }

  @Test func aFileThatAnotherProcessHasOpenIsNotDeleted() throws {
    let path = try #require(configuration.fileURL).path
    let peer = try ProcessPeer(local: path)
    let error = #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
    #expect(error?.code == .alreadyOpen)
    #expect(FileManager.default.fileExists(atPath: path))
    try peer.perform("create 1 kept")
  }
}
