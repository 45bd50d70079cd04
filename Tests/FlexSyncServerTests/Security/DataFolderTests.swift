// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Testing

@testable import FlexSyncServer

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
  }

  @Test("A token key of another length is refused, not used")
  func shortKey() throws {
    let folder = TemporaryDirectory()
    folder.write("short", to: "token.key")
    #expect(throws: ServerError.self) { try SigningKey.load(folder: folder.path) }
  }
}
