// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncCrypto
import FlexSyncJSON

/// Calls of functions and services, which this server does not run. The answers are those of App Services for an app that
/// has none (RealmClients §1).
extension ClientAPI {
  /// Refuses the call of a function of the app or of a service.
  func refuseCall(_ request: APIRequest) throws {
    try authenticate(request)
    let body = try RequestBody(try request.streamedCall ?? request.body)
    let name = try body.string("name")
    if let service = body.text("service") { throw APIError.serviceNotFound(service) }
    throw APIError.functionNotFound(name)
  }

  /// Refuses a request to a service.
  func refuseService(_ name: String, _ request: APIRequest) throws {
    try authenticate(request)
    throw APIError.serviceNotFound(name)
  }

  private func authenticate(_ request: APIRequest) throws {
    let (claims, service) = try claims(request.bearerToken, as: .access)
    _ = try service.user(claims)
  }
}

extension APIRequest {
  /// The body of a call whose answer is a stream: such a request has it in its URL, in Base64.
  fileprivate var streamedCall: [UInt8]? {
    get throws {
      guard let encodedCall else { return nil }
      guard let bytes = Base64.decode(encodedCall) else {
        throw APIError.badRequest("\"baas_request\" is not Base64")
      }
      return bytes
    }
  }
}
