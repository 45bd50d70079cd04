// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Backup and restore")
struct BackupTests {
  private func data(_ harness: Harness) -> String { "\(harness.folder.path)/data" }

  /// Puts a backup in the place of the data.
  private func restore(_ backup: String, in harness: Harness) throws {
    try harness.restart {
      let path = data(harness)
      try FileSystem.moveFolder(path, to: "\(path).lost")
      _ = try DataRestore.run(from: backup, dataFolder: path)
    }
  }

  @Test("A backup beside a running server has the keys and every acknowledged write, and serves again")
  func roundTrip() throws {
    let harness = try Harness()
    let client = try SyncClient.ofAllTasks(harness)
    for number in 1...3 as ClosedRange<UInt32> { try client.addTask(number) }
    let user = try harness.newUser("ann@example.com")
    let backup = "\(harness.folder.path)/backup"
    let summary = try DataBackup.run(dataFolder: data(harness), to: backup)
    #expect(summary.apps == [Harness.appID])
    let files = try FileSystem.files(below: backup)
    #expect(files.contains("token.key") && files.contains("\(Harness.appID)/data.sqlite"))
    #expect(!files.contains { $0.hasSuffix("-wal") || $0.hasSuffix("server.lock") })
    client.disconnect()
    try restore(backup, in: harness)
    #expect(try harness.openState().contents(of: "Task").count == 3)
    // The key that signs tokens is the one of before.
    #expect(try harness.request("POST", "/auth/session", token: user.refresh).status == 201)
    try client.connect()
    try client.synchronize()
    #expect(client.failures.isEmpty, "whoever has not synced past the backup goes on")
    try client.addTask(4)
    #expect(try harness.openState().contents(of: "Task").count == 4)
  }

  @Test("A commit between two pages of the copy disturbs it as little as a long transaction")
  func underLoad() throws {
    let harness = try Harness()
    let client = try SyncClient.ofAllTasks(harness)
    try client.addTask(1)
    // A write transaction that is open all the time.
    let writer = try ServerStore(path: harness.storePath)
    try writer.database.beginWrite()
    try writer.set("unfinished", to: 1)
    let backup = "\(harness.folder.path)/backup"
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    try writer.database.commit()
    let copy = try ServerStore(path: "\(backup)/\(Harness.appID)/data.sqlite")
    #expect(try copy.setting("unfinished") == nil)
    #expect(try copy.objects.contents(of: "Task").count == 1)
  }

  @Test("A client that has synced past the backup starts over, also after the versions have been used again")
  func pastTheBackup() throws {
    let harness = try Harness()
    let (reader, writer) = (try SyncClient.ofAllTasks(harness), try SyncClient.ofAllTasks(harness))
    try writer.addTask(1)
    try reader.synchronize()
    let backup = "\(harness.folder.path)/backup"
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    try writer.addTask(2)
    try reader.synchronize()
    let salt = try harness.served.engine.store.versionSalt()
    try restore(backup, in: harness)
    #expect(try harness.served.engine.store.versionSalt() != salt)
    // The stream of the file gets as far again as the client knows it.
    let store = try harness.served.engine.store
    let ident = try #require(reader.file?.ident)
    var record = try #require(try store.file(ident: ident))
    record.streamHead += 100
    try store.write { try store.update(record) }
    try reader.connect()
    #expect(reader.failures.map(\.code) == [.divergingHistories])
    #expect(reader.failures.first?.info.action == .clientReset)
  }

  @Test("backup and restore warn of a missing key, without which all users must log in again")
  func missingKey() throws {
    let harness = try Harness()
    let folder = harness.folder
    func warnings(_ key: String) throws -> [Bool] {
      let commands = [
        ["backup", "--data", data(harness), "--to", folder.file("backup-\(key)")],
        ["restore", "--from", folder.file("backup-\(key)"), "--data", folder.file("restored-\(key)")],
      ]
      return try commands.map {
        let command = try Command($0)
        #expect(command.status == 0, "\(command.errors)")
        return command.errors.contains("warning: the backup has no token.key")
      }
    }
    #expect(try warnings("present") == [false, false])
    try FileSystem.removeFile("\(data(harness))/token.key")
    #expect(try warnings("missing") == [true, true])
  }

  @Test("Nothing is overwritten: neither by a backup nor by a restore")
  func occupied() throws {
    let harness = try Harness()
    let backup = "\(harness.folder.path)/backup"
    harness.folder.write("precious", to: "backup/file")
    #expect(throws: ServerError.self) { try DataBackup.run(dataFolder: data(harness), to: backup) }
    #expect(throws: ServerError.self) {
      try DataBackup.run(dataFolder: data(harness), to: "\(data(harness))/inside")
    }
    #expect(throws: ServerError.self) {
      try DataBackup.run(dataFolder: "\(harness.folder.path)/none", to: "\(backup)2")
    }
    _ = try DataBackup.run(dataFolder: data(harness), to: "\(backup)3")
    #expect(throws: ServerError.self) { try DataRestore.run(from: "\(backup)3", dataFolder: data(harness)) }
    #expect(try MigrationApp.text(of: "\(backup)/file") == "precious")
  }

  @Test("A backup that fails leaves nothing in the way of the next one, nor takes anything away")
  func failed() throws {
    let harness = try Harness()
    let backup = "\(harness.folder.path)/backup"
    harness.folder.write("no database", to: "data/broken-abcde/data.sqlite")
    #expect(throws: (any Error).self) { try DataBackup.run(dataFolder: data(harness), to: backup) }
    #expect(!FileSystem.exists(backup))
    try FileSystem.createDirectory(backup)
    #expect(throws: (any Error).self) { try DataBackup.run(dataFolder: data(harness), to: backup) }
    #expect(FileSystem.isDirectory(backup) && FileSystem.isVacant(backup))
    // What another process writes there meanwhile stays.
    harness.folder.write("", to: "backup/\(DataBackup.unfinishedName)")
    let error = #expect(throws: ServerError.self) {
      try DataBackup.run(dataFolder: data(harness), to: backup)
    }
    #expect("\(error as Any)".contains("another flexsyncd is writing, or that was interrupted"))
    try FileSystem.removeFile("\(backup)/\(DataBackup.unfinishedName)")
    try FileSystem.removeContents(of: "\(data(harness))/broken-abcde")
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    #expect(try !FileSystem.files(below: backup).contains(DataBackup.unfinishedName))
  }

  @Test("Commands on a data folder whose app lost its store name the missing file instead of finding no apps")
  func lostStore() throws {
    let folder = TemporaryFolder()
    folder.write("", to: "data/\(Harness.appID)/data.sqlite-wal")
    folder.write("", to: "data/\(Harness.appID)/records/records.jsonl")
    let data = folder.file("data")
    let commands: [() throws -> Void] = [
      { _ = try DataBackup.run(dataFolder: data, to: folder.file("backup")) },
      { _ = try AccountAdministration(dataFolder: data, app: nil) },
      { _ = try AccountAdministration(dataFolder: data, app: Harness.appID) },
      { _ = try AppSummary.all(dataFolder: data) },
    ]
    for command in commands {
      let error = #expect(throws: ServerError.self) { try command() }
      #expect("\(error as Any)".contains("data/\(Harness.appID)/data.sqlite is missing, but other files"))
    }
    #expect(!FileSystem.exists(folder.file("backup")))
  }

  @Test("A backup is not served itself")
  func servedItself() throws {
    let harness = try Harness()
    let backup = "\(harness.folder.path)/backup"
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    #expect(throws: ServerError.self) { try DataFolder(backup) }
    _ = try DataRestore.run(from: backup, dataFolder: "\(harness.folder.path)/restored")
    _ = try DataFolder("\(harness.folder.path)/restored")
  }

  @Test("What cannot be restored is named for what it is")
  func noBackup() throws {
    let folder = TemporaryFolder()
    folder.write("", to: "file")
    folder.write("", to: "other/file")
    folder.write("{", to: "broken/\(BackupManifest.fileName)")
    let cases = [
      ("none", "the backup \(folder.file("none")) does not exist"),
      ("file", "is a file; a backup is a folder"),
      ("other", "other is not a complete backup: it has no backup.json"),
      ("broken", "broken/\(BackupManifest.fileName) is damaged ("),
    ]
    for (name, message) in cases {
      let error = #expect(throws: ServerError.self) {
        try DataRestore.run(from: folder.file(name), dataFolder: folder.file("data"))
      }
      #expect("\(error as Any)".contains(message))
    }
  }

  @Test("A backup is neither backed up nor restored into itself")
  func intoItself() throws {
    let harness = try Harness()
    let backup = "\(harness.folder.path)/backup"
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    for path in ["\(backup)/data", "\(backup)/new/data"] {
      let error = #expect(throws: ServerError.self) { try DataRestore.run(from: backup, dataFolder: path) }
      #expect("\(error as Any)".contains("is inside the backup"))
    }
    let error = #expect(throws: ServerError.self) { try DataBackup.run(dataFolder: backup, to: "\(backup)2") }
    #expect("\(error as Any)".contains("backup is a backup"))
    #expect(!FileSystem.exists("\(backup)2") && !FileSystem.exists("\(backup)/new"))
  }

  @Test("A restore that fails removes what it has written", arguments: [false, true])
  func failedRestore(hasFolder: Bool) throws {
    let harness = try Harness()
    let backup = "\(harness.folder.path)/backup"
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    // SQLite cannot open a file whose path is that long, which the restore notices after it has copied it.
    let parent = "\(harness.folder.path)/\(String(repeating: "a", count: 220))"
    let target = "\(parent)/\(String(repeating: "b", count: 230))"
    try FileSystem.createDirectory(hasFolder ? target : parent)
    #expect(throws: StorageError.self) { try DataRestore.run(from: backup, dataFolder: target) }
    #expect(FileSystem.exists(target) == hasFolder)
    #expect(FileSystem.isVacant(hasFolder ? target : parent))
  }

  @Test("A restore fills a new file system, which is empty but for lost+found")
  func newFileSystem() throws {
    let harness = try Harness()
    let backup = "\(harness.folder.path)/backup"
    harness.folder.write("", to: "data/lost+found/part")
    let summary = try DataBackup.run(dataFolder: data(harness), to: backup)
    #expect(!FileSystem.exists("\(backup)/lost+found"))
    harness.folder.write("", to: "volume/lost+found/part")
    let target = "\(harness.folder.path)/volume"
    #expect(try DataRestore.run(from: backup, dataFolder: target).apps == summary.apps)
    #expect(FileSystem.isFile("\(target)/lost+found/part") && FileSystem.isFile("\(target)/token.key"))
    #expect(try AppSummary.all(dataFolder: target).map(\.id) == [Harness.appID])
    // While a restore is at work in a folder, no server starts with a part of the data.
    harness.folder.write("", to: "volume/\(DataRestore.unfinishedName)/file")
    let error = #expect(throws: ServerError.self) { try DataFolder(target) }
    #expect("\(error as Any)".contains("flexsyncd restore is writing to \(target), or was interrupted"))
    #expect(throws: ServerError.self) { try DataRestore.run(from: backup, dataFolder: target) }
  }

  @Test("A backup that is not whole, or damaged, is not restored, and leaves nothing behind")
  func damaged() throws {
    let harness = try Harness()
    let backup = "\(harness.folder.path)/backup"
    let target = "\(harness.folder.path)/restored"
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    let store = "\(backup)/\(Harness.appID)/data.sqlite"
    let good = try FileSystem.contents(of: store)
    var bad = good
    for index in bad.indices.dropFirst(good.count / 2).prefix(4096) { bad[index] ^= 0xff }
    for content in [Array(good.dropLast(4096)), bad] {
      try FileSystem.writePrivately(content, to: store)
      #expect(throws: (any Error).self) { try DataRestore.run(from: backup, dataFolder: target) }
      #expect(!FileSystem.exists(target))
    }
    try FileSystem.writePrivately(good, to: store)
    #expect(throws: Never.self) { try DataRestore.run(from: backup, dataFolder: "\(target).good") }
    try FileSystem.writePrivately([], to: "\(backup)/\(BackupManifest.fileName)")
    #expect(throws: (any Error).self) { try DataRestore.run(from: backup, dataFolder: target) }
    #expect(!FileSystem.exists(target))
  }

  /// Makes a backup of a server with a user, and changes a letter of its e-mail address in the backup: a change that
  /// leaves the database whole.
  private func alteredBackup(_ harness: Harness) throws -> String {
    _ = try harness.newUser("ann@example.com")
    let backup = "\(harness.folder.path)/backup"
    _ = try DataBackup.run(dataFolder: data(harness), to: backup)
    let store = "\(backup)/\(Harness.appID)/data.sqlite"
    let text = Array("ann@example.com".utf8)
    var content = try FileSystem.contents(of: store)
    let places = content.indices.dropLast(text.count).filter { content[$0...].starts(with: text) }
    try #require(!places.isEmpty)
    for place in places { content[place] = UInt8(ascii: "e") }
    try FileSystem.writePrivately(content, to: store)
    return backup
  }

  @Test("A backup in which a text was altered is not restored")
  func altered() throws {
    let harness = try Harness()
    let backup = try alteredBackup(harness)
    let target = "\(harness.folder.path)/restored"
    let error = #expect(throws: ServerError.self) { try DataRestore.run(from: backup, dataFolder: target) }
    #expect("\(error as Any)".contains("data.sqlite was altered"))
    #expect(!FileSystem.exists(target))
  }

  @Test("A backup of a version that noted no digests is restored as before")
  func withoutDigests() throws {
    let harness = try Harness()
    let backup = try alteredBackup(harness)
    let list = "\(backup)/\(BackupManifest.fileName)"
    let text = try MigrationApp.text(of: list).replacing(/,"sha256":"[0-9a-f]{64}"/, with: "")
    #expect(!text.contains("sha256"))
    try FileSystem.writePrivately(Array(text.utf8), to: list)
    let target = "\(harness.folder.path)/restored"
    #expect(try DataRestore.run(from: backup, dataFolder: target).apps == [Harness.appID])
  }
}
