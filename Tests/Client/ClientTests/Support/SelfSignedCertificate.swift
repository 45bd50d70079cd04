// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A certificate for 127.0.0.1 that is its own authority, made by the `openssl` command.
final class SelfSignedCertificate: Sendable {
  private let folder = TemporaryFolder()

  var certificateFile: String { "\(folder.path)/server.pem" }
  var keyFile: String { "\(folder.path)/server.key" }

  init() throws {
    try FileSystem.makeFolder(folder.path)
    let command = """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Tests \
        -addext subjectAltName=IP:127.0.0.1 -keyout \(keyFile) -out \(certificateFile) 2>/dev/null
      """
    try #require(system(command) == 0, "the openssl command is needed for this test")
  }
}
