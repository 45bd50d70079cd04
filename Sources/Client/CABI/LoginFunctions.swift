// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncJSON

@_cdecl("flx_app_log_in") @implementation
public func flx_app_log_in(
  _ app: OpaquePointer,
  _ credentials: In<flx_credentials_t>,
  _ completion: flx_user_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(credentials, "credentials"))
  App.start(app, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.logIn(try Credentials(credentials.pointee), completion: $1)
  }
}

@_cdecl("flx_app_log_in_blocking") @implementation
public func flx_app_log_in_blocking(
  _ app: OpaquePointer,
  _ credentials: In<flx_credentials_t>,
  _ out_user: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, Needed(credentials, "credentials"), Needed(out_user, "out_user")) {
    let user = try App.block(app) { $0.logIn(try Credentials(credentials.pointee), completion: $1) }
    out_user.pointee = Handle.retained(user)
  }
}

@_cdecl("flx_user_link") @implementation
public func flx_user_link(
  _ user: OpaquePointer,
  _ credentials: In<flx_credentials_t>,
  _ completion: flx_user_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(credentials, "credentials"))
  User.start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.app.link($0, try Credentials(credentials.pointee), completion: $1)
  }
}

@_cdecl("flx_user_link_blocking") @implementation
public func flx_user_link_blocking(
  _ user: OpaquePointer,
  _ credentials: In<flx_credentials_t>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, Needed(credentials, "credentials")) {
    _ = try User.block(user) { $0.app.link($0, try Credentials(credentials.pointee), completion: $1) }
  }
}

extension Credentials {
  fileprivate init(_ credentials: flx_credentials_t) throws {
    try Reserved.requireZero(credentials.reserved, of: "flx_credentials_t")
    let (name, secret) = (try credentials.name.text("name"), try credentials.secret.text("secret"))
    switch credentials.kind {
    case .FLX_CREDENTIALS_ANONYMOUS: self = .anonymous(isReused: true)
    case .FLX_CREDENTIALS_NEW_ANONYMOUS: self = .anonymous(isReused: false)
    case .FLX_CREDENTIALS_EMAIL_PASSWORD: self = .emailPassword(email: name, password: secret)
    case .FLX_CREDENTIALS_API_KEY: self = .apiKey(secret)
    case .FLX_CREDENTIALS_JWT: self = .jwt(secret)
    case .FLX_CREDENTIALS_FUNCTION: self = .function(payload: try Self.payload(secret))
    case .FLX_CREDENTIALS_GOOGLE_AUTH_CODE: self = .google(authorizationCode: secret)
    case .FLX_CREDENTIALS_GOOGLE_ID_TOKEN: self = .googleID(token: secret)
    case .FLX_CREDENTIALS_APPLE: self = .apple(idToken: secret)
    case .FLX_CREDENTIALS_FACEBOOK: self = .facebook(accessToken: secret)
    default: throw CoreError.invalidArgument("unknown kind of credentials: \(credentials.kind.rawValue)")
    }
  }

  private static func payload(_ text: String) throws -> [JSON.Member] {
    guard let payload = try? JSON.parse(text).objectValue else {
      throw CoreError.invalidArgument("secret: the payload of a function must be a JSON object")
    }
    return payload
  }
}
