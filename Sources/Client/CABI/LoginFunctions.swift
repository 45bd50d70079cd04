// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncJSON

/// Returns a function that passes a user, or the error, to the program.
private func receiver(
  _ completion: flx_user_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free: flx_free_userdata_t?,
  function: StaticString = #function
) -> @Sendable (Result<User, CoreError>) -> Void {
  Needed.insist(Needed(callback: completion, "completion"), function: function)
  let userdata = Userdata(userdata, free: free)
  return { result in
    switch result {
    case .success(let user): completion(userdata.pointer, Handle.retained(user), nil)
    case .failure(let error): error.withCError { completion(userdata.pointer, nil, $0) }
    }
  }
}

@_cdecl("flx_app_log_in") @implementation
public func flx_app_log_in(
  _ app: OpaquePointer,
  _ credentials: UnsafePointer<flx_credentials_t>,
  _ completion: flx_user_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(credentials, "credentials"))
  let deliver = receiver(completion, userdata, free_userdata)
  if ForkGuard.refuses({ deliver(.failure($0)) }) { return }
  let app = Handle.object(app, as: App.self)
  switch CoreError.catching({ try Credentials(credentials.pointee) }) {
  case .success(let proof): app.logIn(proof, completion: deliver)
  case .failure(let error): app.post { deliver(.failure(error)) }
  }
}

@_cdecl("flx_app_log_in_blocking") @implementation
public func flx_app_log_in_blocking(
  _ app: OpaquePointer,
  _ credentials: UnsafePointer<flx_credentials_t>,
  _ out_user: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(credentials, "credentials"), Needed(out_user, "out_user")) {
    let app = Handle.object(app, as: App.self)
    let proof = try Credentials(credentials.pointee)
    let user = try app.runtime.blocking { app.logIn(proof, completion: $0.deliver) }.get()
    out_user.pointee = Handle.retained(user)
  }
}

@_cdecl("flx_user_link") @implementation
public func flx_user_link(
  _ user: OpaquePointer,
  _ credentials: UnsafePointer<flx_credentials_t>,
  _ completion: flx_user_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(credentials, "credentials"))
  let deliver = receiver(completion, userdata, free_userdata)
  if ForkGuard.refuses({ deliver(.failure($0)) }) { return }
  let user = Handle.object(user, as: User.self)
  switch CoreError.catching({ try Credentials(credentials.pointee) }) {
  case .success(let proof): user.app.link(user, proof, completion: deliver)
  case .failure(let error): user.app.post { deliver(.failure(error)) }
  }
}

@_cdecl("flx_user_link_blocking") @implementation
public func flx_user_link_blocking(
  _ user: OpaquePointer,
  _ credentials: UnsafePointer<flx_credentials_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(credentials, "credentials")) {
    let user = Handle.object(user, as: User.self)
    let proof = try Credentials(credentials.pointee)
    _ = try user.app.runtime.blocking { user.app.link(user, proof, completion: $0.deliver) }.get()
  }
}

extension Credentials {
  fileprivate init(_ credentials: flx_credentials_t) throws {
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
