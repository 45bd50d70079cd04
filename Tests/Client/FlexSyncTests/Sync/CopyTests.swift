// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// A class of the app, as an older and a newer version of a program have it.
private class Jotting: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String

  override class func _realmObjectName() -> String? { "Jotting" }
}

private class WideJotting: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String
  @Persisted var extra: String

  override class func _realmObjectName() -> String? { "Jotting" }
  override class func _realmIgnoreClass() -> Bool { true }
}

/// Copies of synced realms: local ones, and those that another device starts from.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct CopyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ server: TestServer, device: String) async throws -> Realm.Configuration {
    let user = try await server.app(folder, device: device).login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(
      clientResetMode: .recoverUnsyncedChanges(),
      initialSubscriptions: { $0.append(QuerySubscription<Task>(name: "all")) }
    )
    configuration.objectTypes = [Task.self, Team.self]
    return configuration
  }

  /// A configuration for a class of the app in development mode.
  private func configuration<Element: Object>(_ server: TestServer, device: String, of type: Element.Type)
    async throws
    -> Realm.Configuration
  {
    let user = try await server.app(folder, device: device).login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(
      initialSubscriptions: { $0.append(QuerySubscription<Element>(name: "all")) }
    )
    configuration.objectTypes = [type]
    return configuration
  }

  private func names(_ realm: Realm) -> [String] { realm.objects(Task.self).map(\.taskName).sorted() }

  /// Opens a realm that has downloaded what another device wrote.
  private func openReader(_ server: TestServer) async throws -> (reader: Realm, writer: Realm) {
    let writer = try await Realm(configuration: try await configuration(server, device: "writer"))
    try await writer.subscriptions.update {}
    try writer.write { for name in ["a", "b"] { writer.add(Task(name)) } }
    try await writer.syncSession?.wait(for: .upload)
    let reader = try await Realm(
      configuration: try await configuration(server, device: "reader"),
      downloadBeforeOpen: .once
    )
    try await eventually("the tasks") {
      reader.refresh()
      return names(reader) == ["a", "b"]
    }
    return (reader, writer)
  }

  @Test func aLocalCopyIsNotSynced() async throws {
    try await TestServer.run { server in
      let (reader, _) = try await openReader(server)
      let copy = Realm.Configuration(fileURL: folder.file("copy.realm"), objectTypes: [Task.self])
      try reader.writeCopy(configuration: copy)
      let local = try await Realm(configuration: copy)
      #expect(names(local) == ["a", "b"])
      #expect(local.syncSession == nil)
      try local.write { local.add(Task("c")) }
      #expect(names(local) == ["a", "b", "c"])
    }
  }

  @Test func aLocalCopyHasThePropertiesOfTheServerThatTheProgramLacks() async throws {
    let app = try WrittenApp(
      sync: #""development_mode_enabled":true"#,
      role: WrittenApp.openRole,
      schemas: [:]
    )
    try await TestServer.run(app: app.path) { server in
      var wide = try await configuration(server, device: "wide", of: WideJotting.self)
      let writer = try await Realm(configuration: wide)
      try writer.write { writer.create(WideJotting.self, value: ["_id": 1, "title": "a", "extra": "b"]) }
      try await writer.syncSession?.wait(for: .upload)
      let narrow = try await configuration(server, device: "narrow", of: Jotting.self)
      let reader = try await Realm(configuration: narrow, downloadBeforeOpen: .once)
      try await eventually("the note") {
        reader.refresh()
        return reader.objects(Jotting.self).map(\.title) == ["a"]
      }

      var copy = Realm.Configuration(fileURL: folder.file("copy.realm"), objectTypes: [Jotting.self])
      try reader.writeCopy(configuration: copy)
      let narrowCopy = copy
      let error = await #expect(throws: Realm.Error.self) { _ = try await Realm(configuration: narrowCopy) }
      #expect(error?.code == .schemaMismatch)
      #expect(
        error?.message
          == "Migration is required due to the following errors:\n- Property 'Jotting.extra' has been removed."
      )
      copy.readOnly = true
      let readOnly = try await Realm(configuration: copy)
      #expect(readOnly.objects(Jotting.self).map(\.title) == ["a"])
      wide = Realm.Configuration(fileURL: folder.file("wide-copy.realm"), objectTypes: [WideJotting.self])
      try reader.writeCopy(configuration: wide)
      let whole = try await Realm(configuration: wide)
      #expect(whole.objects(WideJotting.self).map(\.extra) == ["b"])
      wide.schemaVersion = 1
      wide.objectTypes = [Jotting.self]
      wide.fileURL = folder.file("migrated.realm")
      try reader.writeCopy(configuration: wide)
      let migrated = try await Realm(configuration: wide)
      #expect(migrated.objects(Jotting.self).map(\.title) == ["a"])
      #expect(migrated.schema["Jotting"]?.properties.map(\.name) == ["_id", "title"])
    }
  }

  @Test func anotherDeviceStartsFromACopyWithoutAReset() async throws {
    try await TestServer.run { server in
      let (reader, writer) = try await openReader(server)
      var seed = try await configuration(server, device: "seed")
      seed.fileURL = folder.file("seed.realm")
      // The server keeps what a copy needs as long as the device of the original does not go on.
      reader.syncSession?.suspend()
      try reader.writeCopy(configuration: seed)
      try writer.write { writer.add(Task("later")) }
      try await writer.syncSession?.wait(for: .upload)

      var planted = try await configuration(server, device: "planted")
      planted.seedFilePath = seed.fileURL
      planted.syncConfiguration?.clientResetMode = .manual { error, _ in Issue.record(error) }
      let realm = try await Realm(configuration: planted)
      #expect(names(realm) == ["a", "b"])
      try realm.write { realm.add(Task("own")) }
      try await realm.syncSession?.wait(for: .upload)
      try await eventually("the later task") {
        realm.refresh()
        return names(realm) == ["a", "b", "later", "own"]
      }
      try await eventually("its own task") {
        writer.refresh()
        return names(writer) == ["a", "b", "later", "own"]
      }
    }
  }

  @Test func copiesInOtherDirectionsAreRefused() async throws {
    try await TestServer.run { server in
      let (reader, writer) = try await openReader(server)
      let local = try await Realm(
        configuration: Realm.Configuration(fileURL: folder.file("local.realm"), objectTypes: [Task.self])
      )
      var synced = try await configuration(server, device: "synced")
      synced.fileURL = folder.file("synced.realm")
      let fromLocal = #expect(throws: Realm.Error.self) { try local.writeCopy(configuration: synced) }
      #expect(fromLocal?.message.hasPrefix("Realm cannot be converted to a flexible sync realm") == true)
      writer.syncSession?.suspend()
      try writer.write { writer.add(Task("offline")) }
      let pending = #expect(throws: Realm.Error.self) { try writer.writeCopy(configuration: synced) }
      #expect(pending?.message == "All client changes must be integrated in server before writing copy")
      #expect(!Realm.fileExists(for: synced))
      // The file of a device is no seed.
      let copied = folder.file("copied.realm")
      let original = try file(of: reader)
      try FileManager.default.copyItem(at: original, to: copied)
      // Without its log, the file lacks what has not been checkpointed yet, which may be all of it.
      try FileManager.default.copyItem(atPath: original.path + "-wal", toPath: copied.path + "-wal")
      synced.seedFilePath = copied
      let seed = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: synced) }
      #expect(seed?.message.contains("is the file of a device") == true, "\(seed?.message ?? "")")
    }
  }

  private func file(of realm: Realm) throws -> URL {
    let files = try #require(
      FileManager.default.enumerator(at: folder.file("reader"), includingPropertiesForKeys: nil)
    )
    return try #require(files.compactMap { $0 as? URL }.first { $0.pathExtension == "realm" })
  }
}
