// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncTransport

/// A call of a function of the app, or of one of its services (RealmClients §1).
struct FunctionCall: Sendable {
  let name: String
  let arguments: [JSON]
  /// The service that has the function; nil for a function of the app itself.
  let service: String?

  var request: JSON {
    let call: [JSON.Member] = [.init("arguments", .array(arguments)), .init("name", .string(name))]
    return .object(call + (service.map { [.init("service", .string($0))] } ?? []))
  }

  private static func route(_ configuration: AppConfiguration) -> String {
    configuration.appRoute + "/functions/call"
  }

  func serviceRequest(_ configuration: AppConfiguration) -> ServiceRequest {
    ServiceRequest(
      method: "POST",
      route: Self.route(configuration),
      body: request,
      action: "call the function '\(name)'"
    )
  }

  /// The request for a stream of events. It has the call and the token in its URL.
  func streamRequest(_ configuration: AppConfiguration, token: String) -> ServiceRequest {
    let call = Base64.encode(Array(request.serialized.utf8))
    let query = "?baas_request=\(PercentEncoding.encode(call))&baas_at=\(PercentEncoding.encode(token))"
    return ServiceRequest(
      method: "GET",
      route: Self.route(configuration) + query,
      action: "watch the collection",
      accepts: "text/event-stream"
    )
  }
}

extension App {
  /// Calls a function as a user, and passes on its result as JSON.
  func call(_ call: FunctionCall, of user: User, completion: @escaping Completion<String>) {
    post { [self] in
      let request = call.serviceRequest(configuration)
      send(request, as: user.id, with: .access) { completion($0.map(\.serialized)) }
    }
  }

  /// Registers the device for the push messages of a service, or ends its registration.
  ///
  /// - Parameter token: nil ends the registration.
  func registerPush(
    _ service: String,
    token: String?,
    of user: User,
    completion: @escaping Completion<Void>
  ) {
    let request = ServiceRequest(
      method: token == nil ? "DELETE" : "PUT",
      route: "\(configuration.appRoute)/push/providers/\(PercentEncoding.encode(service))/registration",
      body: token.map { ["registrationToken": .string($0)] },
      action: token == nil ? "end the registration for push messages" : "register for push messages"
    )
    post { [self] in send(request, as: user.id, with: .access) { completion($0.map { _ in () }) } }
  }
}
