// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import FlexSyncTransport
import Foundation
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Files of the server")
struct DataFolderTests {
  private func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0, "\(path)")
    return status.st_mode & 0o777
  }

  @Test("Only the server's own user can read what it keeps, also in a folder that everybody can read")
  func permissions() throws {
    let harness = try Harness()
    _ = try harness.openSession()
    let data = "\(harness.folder.path)/data"
    #expect(try mode(data) == 0o700)
    #expect(try mode("\(data)/\(Harness.appID)") == 0o700)
    #expect(try mode("\(data)/token.key") == 0o600)
    #expect(try mode("\(data)/server.lock") == 0o600)
    for suffix in ["", "-wal", "-shm"] { #expect(try mode(harness.storePath + suffix) == 0o600) }
    // What an older version has left open to everybody is closed.
    try harness.restart { chmod(harness.storePath, 0o644) }
    #expect(try mode(harness.storePath) == 0o600)
  }

  @Test(
    "A server says at its start which secrets everybody can read, and that it speaks plain HTTP to others"
  )
  func warnings() throws {
    let folder = TemporaryFolder()
    for name in ["data/token.key", "tls.key", "app/secrets.json"] { folder.write("secret", to: name) }
    var configuration = ServerConfiguration(
      appDirectories: ["\(folder.path)/app"],
      dataFolder: "\(folder.path)/data",
      listenAddress: "0.0.0.0:0",
      logger: LogLines().logger
    )
    func warnings(_ host: String) -> [String] {
      StartWarnings(configuration, listening: Endpoint(host: host, port: 9090)).texts
    }
    let files = ["data/token.key", "app/secrets.json", "tls.key"].map { "\(folder.path)/\($0)" }
    for file in files { chmod(file, 0o640) }
    for host in ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"] {
      #expect(warnings(host).isEmpty, "\(host)")
    }
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
      #expect(warnings(host).first?.contains("plain HTTP") == true)
    }
    configuration.tlsCertificate = "certificate"
    configuration.tlsKey = files[2]
    #expect(warnings("0.0.0.0").isEmpty)
    for file in files { chmod(file, 0o644) }
    #expect(warnings("0.0.0.0").count == 3)
    #expect(warnings("0.0.0.0").filter { $0.contains("chmod 600") }.count == 3)
  }

  @Test("A server says at its start if clients will refuse its certificate, and before it expires")
  func certificates() {
    let folder = TemporaryFolder()
    var configuration = ServerConfiguration(
      appDirectories: [],
      dataFolder: folder.path,
      listenAddress: "127.0.0.1:0",
      logger: LogLines().logger
    )
    configuration.tlsCertificate = "tls.pem"
    func warnings(_ validity: ClosedRange<Int>) -> [String] {
      let endpoint = Endpoint(host: "127.0.0.1", port: 9090)
      return StartWarnings(configuration, listening: endpoint, certificateValidity: validity).texts
    }
    let day = 86_400
    #expect(warnings(-10 * day...60 * day).isEmpty)
    #expect(warnings(-10 * day...(-3 * day)).first?.contains("tls.pem expired 3 days ago") == true)
    #expect(warnings(3_600...60 * day).first?.contains("is not valid for another 1 hours") == true)
    #expect(warnings(-10 * day...5 * day).first?.contains("expires in 5 days") == true)
  }

  @Test("A server whose data folder lacks the database does not begin anew, but says what to do")
  func missingDatabase() throws {
    let harness = try Harness()
    try #require(unlink(harness.storePath) == 0)
    harness.folder.write("", to: "data/\(Harness.appID)/records/1.jsonl")
    let error = #expect(throws: ServerError.self) { try harness.restart() }
    #expect(error?.description.contains("\(harness.storePath) is missing") == true)
    #expect(error?.description.contains("flexsyncd restore") == true)
    #expect(!FileSystem.exists(harness.storePath))
  }

  @Test("A server does not put its data into a folder of other files, and says so; some files do not matter")
  func foreignFolder() throws {
    let folder = TemporaryFolder()
    let lines = LogLines()
    folder.write("", to: "mistyped/letter.txt")
    let error = #expect(throws: ServerError.self) {
      try DataFolder("\(folder.path)/mistyped").openStore(appID: Harness.appID)
    }
    #expect(
      error?.description.contains("letter.txt") == true && error?.description.contains("--data") == true
    )
    for name in ["token.key", "server.lock", "lost+found/.keep"] { folder.write("", to: "volume/\(name)") }
    for id in [Harness.appID, "other-abcde"] {
      _ = try DataFolder("\(folder.path)/volume", logger: lines.logger).openStore(appID: id)
      #expect(lines.text.contains("notice created \(folder.path)/volume/\(id)/data.sqlite"))
    }
    let quiet = LogLines()
    _ = try DataFolder("\(folder.path)/volume", logger: quiet.logger).openStore(appID: Harness.appID)
    #expect(quiet.text.isEmpty)
  }

  @Test(
    "A data folder is for one server at a time, also if its lock file is deleted",
    arguments: [false, true]
  )
  func lock(isFileDeleted: Bool) throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/data"
    let first = try DataFolder(path)
    try first.lockForServing()
    if isFileDeleted { try FileManager.default.removeItem(atPath: "\(path)/server.lock") }
    let second = try DataFolder(path)
    #expect(second.isServed)
    for _ in 0..<2 {
      let error = #expect(throws: ServerError.self) { try second.lockForServing() }
      #expect(error?.description.contains("another server is using the data folder \(path)") == true)
    }
    first.unlock()
    #expect(!second.isServed)
    try second.lockForServing()
    #expect(first.isServed)
  }

  @Test("A token key of another length is refused, not used")
  func shortKey() throws {
    let folder = TemporaryFolder()
    folder.write("short", to: "token.key")
    #expect(throws: ServerError.self) { try SigningKey.load(folder: folder.path) }
  }
}
