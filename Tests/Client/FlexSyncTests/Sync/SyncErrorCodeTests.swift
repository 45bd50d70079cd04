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

  @Test func aUserWithoutPermissionIsToldSo() {
    #expect(code(.FLX_STATUS_SESSION_FAILED, 206) == .permissionDeniedError)
    #expect(code(.FLX_STATUS_SERVER_WARNING, 206) == .permissionDeniedError)
    #expect(code(.FLX_STATUS_CLIENT_RESET, 206) == .clientResetError)
    #expect(code(.FLX_STATUS_SESSION_FAILED, 225) == .clientSessionError)
  }
}
