// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@testable import FlexSync

/// The codes of `SyncError`, by what C tells.
@Suite struct SyncErrorCodeTests {
  private func code(_ status: flx_status_t, _ protocolCode: Int32 = 0) -> SyncError.Code {
    var error = flx_sync_error_t()
    error.status = status
    error.protocol_code = protocolCode
    return SyncError.Code(error)
  }

  // Feature 174, 175
  @Test func numbersAreThoseOfTheRealmSwiftSDK() {
    let codes: [(SyncError.Code, Int)] = [
      (.clientSessionError, 4), (.clientUserError, 5), (.clientInternalError, 6), (.clientResetError, 7),
      (.underlyingAuthError, 8), (.permissionDeniedError, 9), (.invalidFlexibleSyncSubscriptions, 10),
      (.writeRejected, 11), (.connectionFailed, 12), (.tlsHandshakeFailed, 13), (.serverWarning, 14),
    ]
    for (code, number) in codes { #expect(code.rawValue == number) }
    #expect(Realm.Error.Code.multipleSyncAgents.rawValue == 17)
    #expect(Realm.Error.Code.subscriptionFailed.rawValue == 18)
    #expect(Realm.Error.Code.noSubscriptionForWrite.rawValue == 22)
  }

  // Feature 174
  @Test func eachStatusOfASessionHasItsCode() {
    let codes: [(flx_status_t, SyncError.Code)] = [
      (.FLX_STATUS_SESSION_FAILED, .clientSessionError), (.FLX_STATUS_PROTOCOL_ERROR, .clientInternalError),
      (.FLX_STATUS_CLIENT_RESET, .clientResetError), (.FLX_STATUS_CLIENT_RESET_FAILED, .clientResetError),
      (.FLX_STATUS_WRITE_REJECTED, .writeRejected), (.FLX_STATUS_SERVER_WARNING, .serverWarning),
      (.FLX_STATUS_CONNECTION_FAILED, .connectionFailed), (.FLX_STATUS_TLS_FAILED, .tlsHandshakeFailed),
      (.FLX_STATUS_INVALID_SESSION, .clientUserError), (.FLX_STATUS_USER_LOGGED_OUT, .clientUserError),
      (.FLX_STATUS_DISK_FULL, .clientInternalError),
    ]
    for (status, expected) in codes { #expect(code(status) == expected, "\(status)") }
  }

  @Test func aPathIsThatOfABackupOrOfTheFileThatALoginHasLeft() async throws {
    let folder = try TemporaryFolder()
    try await TestServer.run { server in
      let app = App(
        id: TestServer.appID,
        configuration: AppConfiguration(baseURL: server.url, storageDirectory: folder.file("device"))
      )
      let user = try await app.login(credentials: .anonymous)
      var configuration = user.flexibleSyncConfiguration()
      configuration.objectTypes = [Task.self, Team.self]
      let realm = try await Realm(configuration: configuration)
      let session = try #require(realm.syncSession)
      let ended = told(.FLX_STATUS_INVALID_SESSION, session)
      #expect(ended.fileURL?.path == "/a/b.realm" && ended.clientResetInfo() == nil)
      let reset = told(.FLX_STATUS_CLIENT_RESET, session)
      #expect(reset.fileURL == nil && reset.clientResetInfo()?.0 == "/a/b.realm")
    }
  }

  private func told(_ status: flx_status_t, _ session: SyncSession) -> SyncError {
    var path = "/a/b.realm"
    return path.withUTF8 { path in
      path.withMemoryRebound(to: CChar.self) { path in
        var error = flx_sync_error_t()
        error.status = status
        error.recovery_path = flx_string_t(data: path.baseAddress, size: path.count)
        return SyncError(error, session)
      }
    }
  }

  @Test func aUserWithoutPermissionIsToldSo() {
    #expect(code(.FLX_STATUS_SESSION_FAILED, 206) == .permissionDeniedError)
    #expect(code(.FLX_STATUS_SERVER_WARNING, 206) == .permissionDeniedError)
    #expect(code(.FLX_STATUS_CLIENT_RESET, 206) == .clientResetError)
    #expect(code(.FLX_STATUS_SESSION_FAILED, 225) == .clientSessionError)
  }
}
