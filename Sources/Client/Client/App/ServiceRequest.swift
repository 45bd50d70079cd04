// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A request to the HTTP API for apps and users (RealmClients §1).
struct ServiceRequest: Sendable {
  let method: String
  /// The path below the app's host name.
  let route: String
  var body: JSON?
  /// The token for the `Authorization` header.
  var token: String?
  /// The attempted action, as in "cannot *log in*".
  let action: String
  /// The content type that the answer should have.
  var accepts = "application/json"

  static let session = "/api/client/v2.0/auth/session"

  /// Asks where the app is served.
  static func location(_ configuration: AppConfiguration, baseURL: String) -> ServiceRequest {
    ServiceRequest(
      method: "GET",
      route: "\(configuration.appRoute)/location",
      action: "find the app '\(configuration.appID)' at \(baseURL)"
    )
  }

  /// Logs in, or links the identity to the user of the access token.
  static func logIn(
    _ credentials: Credentials,
    isLinking: Bool = false,
    _ configuration: AppConfiguration
  ) -> ServiceRequest {
    let route = "\(configuration.appRoute)/auth/providers/\(credentials.provider)/login"
    return ServiceRequest(
      method: "POST",
      route: isLinking ? route + "?link=true" : route,
      body: credentials.body(appID: configuration.appID),
      action: isLinking ? "link the identity" : "log in to \(configuration.baseURL)"
    )
  }

  static func profile(accessToken: String? = nil) -> ServiceRequest {
    ServiceRequest(
      method: "GET",
      route: "/api/client/v2.0/auth/profile",
      token: accessToken,
      action: "read the user's profile"
    )
  }

  static func refresh(_ refreshToken: String) -> ServiceRequest {
    ServiceRequest(method: "POST", route: session, token: refreshToken, action: "refresh the login")
  }

  static func logOut(_ refreshToken: String) -> ServiceRequest {
    ServiceRequest(method: "DELETE", route: session, token: refreshToken, action: "log out on the server")
  }

  static let deleteUser = ServiceRequest(
    method: "DELETE",
    route: "/api/client/v2.0/auth/delete",
    action: "delete the user"
  )
}
