// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore
@testable import FlexSyncServerStore
@testable import FlexSyncStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct OpeningTests {
  let folder = TemporaryFolder()

  private func failure(
    _ name: String,
    as application: DatabaseConfiguration.Application = .objects,
    readOnly: Bool = false
  ) -> StorageError? {
    #expect(throws: StorageError.self) {
      _ = try Database.open(folder.file(name), application, isReadOnly: readOnly)
    }
  }

  @Test func bytesThatAreNoDatabaseAreRefused() {
    folder.write(Array(repeating: 0x41, count: 5000), to: "text")
    let error = failure("text")
    #expect(error?.kind == .notADatabase)
    #expect(error?.message.contains("text") == true)
  }

  @Test func theDatabaseOfAnotherProgramIsRefused() throws {
    let database = try folder.open("other")
    try database.execute("CREATE TABLE theirs (n INTEGER); PRAGMA application_id=0")
    #expect(failure("other")?.kind == .foreignFile)
  }

  @Test func aServerStoreIsNoRealm() throws {
    _ = try Database.open(DatabaseConfiguration(location: .file(folder.file("server")), application: .server))
    #expect(failure("server", as: .realm)?.kind == .foreignFile)
  }

  @Test func aNewerFormatIsRefused() throws {
    try folder.open("newer").execute("PRAGMA user_version=99")
    let error = failure("newer")
    #expect(error?.kind == .newerFormat)
    #expect(error?.message.contains("99") == true)
  }

  @Test func aDamagedFileIsReported() throws {
    do {
      let database = try folder.open("damaged")
      try database.write {
        try database.execute("CREATE TABLE blobs (b BLOB)")
        for _ in 0..<50 { try database.execute("INSERT INTO blobs VALUES (randomblob(4000))") }
      }
    }
    let descriptor = open(folder.file("damaged"), O_WRONLY)
    let garbage = [UInt8](repeating: 0xAA, count: 4096 - 100)
    _ = pwrite(descriptor, garbage, garbage.count, 100)
    close(descriptor)
    let error = failure("damaged")
    #expect(error?.kind == .corrupt)
    #expect(error?.message.contains("Delete it, or restore it from a backup") == true)
  }

  @Test("An empty file whose log has content is refused, and the log is kept")
  func emptiedFile() throws {
    let log = folder.file("emptied-wal")
    func logSize() -> Int {
      var status = stat()
      return stat(log, &status) == 0 ? Int(status.st_size) : 0
    }
    let database = try folder.open("emptied")
    try database.execute("CREATE TABLE kept (n INTEGER)")
    let size = logSize()
    try #require(size > 0)
    try #require(truncate(folder.file("emptied"), 0) == 0)
    let error = failure("emptied")
    #expect(error?.kind == .corrupt)
    #expect(error?.message.contains(log) == true)
    #expect(logSize() == size)
    withExtendedLifetime(database) {}
  }

  @Test func aMissingFolderIsNamed() {
    let error = failure("missing/test.flexsync")
    #expect(error?.kind == .directoryMissing)
    #expect(error?.message.contains("/missing'") == true)
  }

  @Test func aFolderIsNoFile() {
    mkdir(folder.file("folder"), 0o755)
    #expect(failure("folder")?.kind == .cannotOpen)
  }

  @Test func readOnlyAccessDoesNotCreate() {
    #expect(failure("absent", readOnly: true)?.kind == .cannotOpen)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everything"))
  func aFileWithoutWritePermissionIsReported() throws {
    _ = try folder.open("locked")
    chmod(folder.file("locked"), 0o444)
    #expect(failure("locked")?.kind == .readOnly)
  }

  @Test(
    arguments: [
      (DatabaseConfiguration.Application.realm, 0x464C_5843), (.server, 0x464C_5853),
    ] as [(DatabaseConfiguration.Application, Int64)]
  )
  func theIdentifierInTheFileTellsRealmsAndServerStoresApart(
    application: DatabaseConfiguration.Application,
    identifier: Int64
  ) throws {
    let database = try Database.open(folder.file("marked"), application)
    #expect(try database.integer("PRAGMA application_id") == identifier)
  }

  @Test func anEmptyFileBecomesADatabase() throws {
    folder.write([], to: "empty")
    let identifier = try folder.open("empty").integer("PRAGMA application_id")
    #expect(identifier == Int64(DatabaseConfiguration.Application.objects.identifier))
  }
}
