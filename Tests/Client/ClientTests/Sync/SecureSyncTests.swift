// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

@Suite struct SecureSyncTests {
  let certificate: SelfSignedCertificate
  let server: SyncServer
  let folder = TemporaryFolder()

  init() throws {
    certificate = try SelfSignedCertificate()
    server = try SyncServer(tls: certificate)
  }

  @Test func loginAndSyncAreSecureWithATrustedCertificate() throws {
    let app = try CApp(
      url: server.url,
      folder: folder.path,
      id: "tasktracker-abcde",
      trustedCertificates: certificate.certificateFile
    )
    let user = try app.logInAnonymously()
    let realm = try TestRealm(classes: .taskTracker) { $0.user = user.handle }
    let set = try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }
    try set.wait()
    #expect(set.state == .FLX_SUBSCRIPTION_COMPLETE)
  }

  @Test func aCertificateThatIsNotTrustedEndsTheAttempt() throws {
    let app = try CApp(url: server.url, folder: folder.path, id: "tasktracker-abcde")
    let error = try #require(throws: CoreError.self) { try app.logInAnonymously() }
    #expect(error.status == .tlsFailed)
  }
}
