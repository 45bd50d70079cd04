// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

private class Stamp: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var country: String
}

private class Album: Object {
  @Persisted var stamps: List<Stamp>
}

/// Opening, copying and compacting the files of local realms.
@Suite struct FileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ name: String = "stamps.realm", readOnly: Bool = false) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: folder.file(name),
      readOnly: readOnly,
      objectTypes: [Stamp.self, Album.self]
    )
  }

  /// Writes a file with some stamps.
  private func write(count: Int = 3, to name: String = "stamps.realm") throws {
    let realm = try Realm(configuration: configuration(name))
    try realm.write {
      let album = realm.create(Album.self)
      for number in 0..<count { album.stamps.append(Stamp(value: [number, "Country \(number)"])) }
    }
  }

  private func numbers(_ configuration: Realm.Configuration) throws -> [Int] {
    try Realm(configuration: configuration).objects(Stamp.self).map(\.number).sorted()
  }

  // MARK: Reading only

  @Test func aReadOnlyRealmIsReadAndNotWritten() throws {
    try write()
    let realm = try Realm(configuration: configuration(readOnly: true))
    #expect(realm.configuration.readOnly)
    #expect(realm.objects(Stamp.self).count == 3)
    #expect(realm.objects(Album.self).first?.stamps.last?.country == "Country 2")
    let error = #expect(throws: Realm.Error.self) { try realm.write { realm.deleteAll() } }
    #expect(error?.message == "Can't perform transactions on read-only Realms.")
    #expect(!realm.refresh())
  }

  @Test func aRealmIsNotOpenBothWays() throws {
    try write()
    let realm = try Realm(configuration: configuration(readOnly: true))
    let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration()) }
    #expect(error?.message.hasSuffix("already opened with different read permissions.") == true)
    #expect(realm.objects(Stamp.self).count == 3)
  }

  @Test func aReadOnlyRealmMustExistWithTheProgramsProperties() throws {
    let missing = #expect(throws: Realm.Error.self) {
      _ = try Realm(configuration: configuration(readOnly: true))
    }
    #expect(missing?.code == .fileNotFound)
    #expect(missing?.fileURL == configuration().fileURL)
    #expect(!Realm.fileExists(for: configuration()))
    try write()
    var other = configuration(readOnly: true)
    other.objectTypes = [LargeStamp.self, Postcard.self]
    let mismatch = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: other) }
    #expect(mismatch?.code == .schemaMismatch)
    #expect(
      mismatch?.message == """
        The following changes cannot be made in read-only schema mode:
        - Property 'Stamp.width' has been added.
        """
    )
    other.objectTypes = [Postcard.self]
    #expect(try Realm(configuration: other).schema.objectSchema.isEmpty)
    other.schemaVersion = 3
    let version = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: other) }
    #expect(version?.message == "Provided schema version 3 does not equal last set version 0.")
  }

  @Test func aReadOnlyRealmMayBeInAFolderThatCannotBeWritten() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let configuration = Realm.Configuration(fileURL: folder.file("a%20#?.realm"), objectTypes: [Stamp.self])
      try {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(Stamp(value: [1, "Chad"])) }
      }()
      chmod(folder.url.path, 0o555)
      // Root may write anywhere, but `access` asks about the real user.
      if geteuid() == 0 { setreuid(65534, 0) }
      var readOnly = configuration
      readOnly.readOnly = true
      let countries = try Realm(configuration: readOnly).objects(Stamp.self).map(\.country)
      if geteuid() == 0 { setreuid(0, 0) }
      chmod(folder.url.path, 0o755)
      exit(Array(countries) == ["Chad"] ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  // MARK: Errors

  @Test func whatIsNoRealmIsRefused() throws {
    let url = try #require(configuration().fileURL)
    try Data("a".utf8).write(to: url)
    let text = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration()) }
    #expect(text?.code == .invalidDatabase)
    #expect(text?.fileURL == url)
    #expect(try Data(contentsOf: url) == Data("a".utf8))
    var header = Data(count: 16)
    header.append(contentsOf: "T-DB".utf8)
    header.append(Data(count: 4096))
    try header.write(to: url)
    let realmFile = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration()) }
    #expect(realmFile?.code == .invalidDatabase)
    #expect(realmFile?.message.contains("is a file of a Realm SDK, which FlexSync cannot read.") == true)
    #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration()) }
    #expect(throws: Realm.Error.self) { _ = try schemaVersionAtURL(url) }
    #expect(try Data(contentsOf: url) == header)
  }

  @Test func errorsNameTheFile() throws {
    let missing = folder.file("missing/stamps.realm")
    let noFolder = #expect(throws: Realm.Error.self) { _ = try Realm(fileURL: missing) }
    #expect(noFolder?.code == .fileNotFound)
    #expect(noFolder?.fileURL == missing)
    let inFile = URL(fileURLWithPath: "/dev/null/foo")
    #expect(throws: Realm.Error.self) { _ = try Realm(fileURL: inFile) }
    do {
      _ = try Realm(fileURL: inFile)
    } catch let error as Realm.Error where error.code == .fileOperationFailed {
      #expect(
        error.message == "Failed to open file at path '/dev/null/foo.lock': parent path is not a directory"
      )
    } catch {
      Issue.record(error)
    }
    let device = #expect(throws: Realm.Error.self) {
      _ = try schemaVersionAtURL(URL(fileURLWithPath: "/dev/null"))
    }
    #expect(device?.code == .fileAccess)
  }

  @Test func errorsNamePathsAsTheProgramDoes() throws {
    let path = folder.file("").path + "//small.realm"
    _ = FileManager.default.createFile(atPath: path, contents: Data("a".utf8))
    let error = #expect(throws: Realm.Error.self) { _ = try Realm(fileURL: URL(fileURLWithPath: path)) }
    #expect(
      error?.message
        == "Failed to open Realm file at path '\(path)': file is non-empty but too small (1 bytes) to be a valid Realm."
    )
  }

  @Test func errorsAreMadeByProgramsAndComparedByTheirCode() {
    let info = [NSLocalizedDescriptionKey: "no", NSFilePathErrorKey: "/a.realm"]
    let error = Realm.Error(.fail, userInfo: info)
    #expect(error.message == "no" && error.fileURL?.path == "/a.realm")
    #expect(error == Realm.Error(.fail) && error != Realm.Error(.fileAccess))
    #expect(Realm.Error.callFailed.localizedDescription == "Call failed")
  }

  @Test func encryptionIsRefused() throws {
    var encrypted = configuration()
    encrypted.encryptionKey = Data(count: 64)
    let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: encrypted) }
    #expect(error?.message.contains("encrypted file system") == true)
    #expect(throws: Realm.Error.self) {
      _ = try schemaVersionAtURL(folder.file("x"), encryptionKey: Data(count: 64))
    }
    try write()
    let realm = try Realm(configuration: configuration())
    #expect(throws: Realm.Error.self) {
      try realm.writeCopy(toFile: folder.file("x"), encryptionKey: Data(count: 64))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("x").path))
  }

  @Test(arguments: ["reset", "compact"]) func settingsThatExcludeReadingOnly(_ setting: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [setting] in
      var configuration = Realm.Configuration(inMemoryIdentifier: "x", readOnly: true)
      if setting == "reset" {
        configuration.deleteRealmIfMigrationNeeded = true
      } else {
        configuration.shouldCompactOnLaunch = { _, _ in true }
      }
      _ = try Realm(configuration: configuration)
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    let name = setting == "reset" ? "deleteRealmIfMigrationNeeded" : "shouldCompactOnLaunch"
    #expect(text.contains("Cannot set `\(name)` when `readOnly` is set."))
  }

  // MARK: Copies

  @Test func aCopyIsAFileOfItsOwn() throws {
    try write()
    let realm = try Realm(configuration: configuration())
    let copy = configuration("copy.realm")
    try realm.writeCopy(toFile: try #require(copy.fileURL))
    try realm.write { realm.deleteAll() }
    #expect(try numbers(copy) == [0, 1, 2])
    #expect(try Realm(configuration: copy).objects(Album.self).first?.stamps.count == 3)
    let exists = #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: copy) }
    #expect(exists?.code == .fileExists)
    #expect(exists?.fileURL == copy.fileURL)
    let noFolder = #expect(throws: Realm.Error.self) {
      try realm.writeCopy(toFile: folder.file("missing/copy.realm"))
    }
    #expect(noFolder?.code == .fileNotFound)
    let inWrite = #expect(throws: Realm.Error.self) {
      try realm.write { try realm.writeCopy(toFile: folder.file("other.realm")) }
    }
    #expect(inWrite != nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.contains(".copy") })
  }

  @Test func realmsInMemoryAreCopied() throws {
    let memory = Realm.Configuration(inMemoryIdentifier: "FileTests.memory", objectTypes: [Stamp.self])
    let realm = try Realm(configuration: memory)
    try realm.write { realm.add(Stamp(value: [7, "Togo"])) }
    try realm.writeCopy(configuration: configuration())
    #expect(try numbers(configuration()) == [7])
    #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: memory) }
  }

  @Test func aNewFileStartsFromASeed() throws {
    try write(to: "seed.realm")
    var planted = configuration()
    planted.seedFilePath = folder.file("seed.realm")
    try {
      let realm = try Realm(configuration: planted)
      #expect(realm.objects(Stamp.self).count == 3)
      try realm.write { realm.add(Stamp(value: [9, "Fiji"])) }
    }()
    try {
      let seed = try Realm(configuration: configuration("seed.realm"))
      #expect(seed.objects(Stamp.self).count == 3)
      try seed.write { seed.deleteAll() }
    }()
    #expect(try numbers(planted) == [0, 1, 2, 9])
    planted.fileURL = folder.file("other.realm")
    planted.seedFilePath = folder.file("missing.realm")
    #expect(throws: Realm.Error.self) { _ = try Realm(configuration: planted) }
    #expect(!Realm.fileExists(for: planted))
  }

  // MARK: Size

  @Test func aFileIsCompactedBeforeItIsOpened() throws {
    try write(count: 5000)
    try {
      let realm = try Realm(configuration: configuration())
      try realm.write { realm.delete(realm.objects(Stamp.self).where { $0.number > 10 }) }
    }()
    let sizes = Mutex<[[Int]]>([])
    var compacting = configuration()
    compacting.shouldCompactOnLaunch = { total, used in
      sizes.withLock { $0.append([total, used]) }
      return used * 2 < total
    }
    let path = try #require(compacting.fileURL).path
    let before = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    let realm = try Realm(configuration: compacting)
    let after = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(after < before / 2)
    #expect(sizes.withLock { $0.first?.first } == before)
    #expect(realm.objects(Stamp.self).count == 11)
    #expect(realm.objects(Album.self).first?.stamps.map(\.number) == Array(0...10))
    // Only the first opening asks.
    _ = try Realm(configuration: compacting)
    #expect(sizes.withLock { $0.count } == 1)
  }

  @Test func tooManyVersionsPreventAWrite() throws {
    var limited = configuration()
    limited.maximumNumberOfActiveVersions = 1
    let realm = try Realm(configuration: limited)
    try realm.write { realm.add(Stamp(value: [1, "Peru"])) }
    let held = Mutex<String>("")
    // A realm of another thread that is never refreshed keeps its version in use.
    let opened = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    let configuration = limited
    Thread.detachNewThread {
      let other = try? Realm(configuration: configuration)
      opened.signal()
      finished.wait()
      held.withLock { $0 = "\(other?.objects(Stamp.self).count ?? 0)" }
      opened.signal()
    }
    opened.wait()
    try realm.write { realm.add(Stamp(value: [2, "Oman"])) }
    let error = #expect(throws: Realm.Error.self) { try realm.write { realm.deleteAll() } }
    #expect(error?.message == "Number of active versions (2) in the Realm exceeded the limit of 1")
    finished.signal()
    opened.wait()
    #expect(held.withLock { $0 } == "1")
  }
}

private class LargeStamp: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var width: Int

  override class func _realmObjectName() -> String? { "Stamp" }
}

private class Postcard: Object {
  @Persisted var text: String
}
