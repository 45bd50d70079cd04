// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts

/// A request to an authentication provider of an app.
struct ProviderCall {
  let request: APIRequest
  let service: AccountService
  let body: RequestBody
  let answer: ClientAPI.Answer

  var requester: Requester { request.requester }
}

/// `/app/<id>/auth/providers/<provider>/…`: registration, log-in, confirmation and passwords.
extension ClientAPI {
  func routeProvider(_ call: ProviderCall, _ provider: String, _ action: String) throws {
    switch (provider, action) {
    case (_, "login"): try logIn(call, provider)
    case (Provider.emailPassword, "register"): try register(call)
    case (Provider.emailPassword, "confirm"): try confirm(call)
    case (Provider.emailPassword, "confirm/send"):
      let email = try call.body.string("email")
      try call.service.resendConfirmation(email: email, address: call.requester.address)
      call.answer(.noContent)
    case (Provider.emailPassword, "reset/send"):
      let email = try call.body.string("email")
      try call.service.requestPasswordReset(email: email, address: call.requester.address)
      call.answer(.noContent)
    case (Provider.emailPassword, "reset"): try reset(call)
    case (Provider.emailPassword, "change"): try changePassword(call)
    case (Provider.emailPassword, "confirm/call"):
      throw APIError.functionsNotCarriedOver("custom confirmation")
    case (Provider.emailPassword, "reset/call"):
      throw APIError.functionsNotCarriedOver("custom password reset")
    default: throw APIError.noSuchEndpoint(call.request)
    }
  }

  private func logIn(_ call: ProviderCall, _ provider: String) throws {
    let service = call.service
    try service.require(provider)
    let request = try loginRequest(call)
    switch provider {
    case Provider.anonymous: call.answer(loginResponse(try service.loginAnonymously(request)))
    case Provider.emailPassword: try logInWithPassword(call, request)
    case Provider.customToken:
      let token = try call.body.string("token")
      call.answer(loginResponse(try service.login(token: token, request: request)))
    case Provider.apiKey:
      let key = try call.body.string("key")
      call.answer(loginResponse(try service.login(apiKey: key, request: request)))
    default: throw APIError.noSuchEndpoint(call.request)
    }
  }

  private func loginRequest(_ call: ProviderCall) throws -> AccountService.LoginRequest {
    var request = AccountService.LoginRequest(of: call.requester, deviceID: call.body.deviceID)
    guard call.request.isLinking else { return request }
    let (claims, service) = try claims(call.request.bearerToken, as: .access)
    guard service === call.service else { throw APIError.invalidSession }
    _ = try service.user(claims)
    request.linking = claims
    return request
  }

  private func logInWithPassword(_ call: ProviderCall, _ request: AccountService.LoginRequest) throws {
    try call.service.login(
      email: try call.body.string("username"),
      password: try call.body.string("password"),
      request: request
    ) { [self] result in
      switch result {
      case .success(let login): call.answer(loginResponse(login))
      case .failure(let error): call.answer(response(for: error))
      }
    }
  }

  private func loginResponse(_ login: AccountService.LoginAnswer) -> APIResponse {
    APIResponse(
      status: 200,
      body: [
        "access_token": .string(login.accessToken),
        "refresh_token": .string(login.refreshToken),
        "user_id": .string(login.userID),
        "device_id": .string(login.deviceID),
      ]
    )
  }

  private func register(_ call: ProviderCall) throws {
    try call.service.register(
      email: try call.body.string("email"),
      password: try call.body.string("password"),
      requester: call.requester,
      completion: completion(of: call, status: 201)
    )
  }

  private func confirm(_ call: ProviderCall) throws {
    try call.service.confirm(
      token: try call.body.string("token"),
      tokenID: try call.body.string("tokenId"),
      address: call.requester.address
    )
    call.answer(APIResponse(status: 200, body: .object([])))
  }

  private func reset(_ call: ProviderCall) throws {
    try call.service.resetPassword(
      try call.body.string("password"),
      token: try call.body.string("token"),
      tokenID: try call.body.string("tokenId"),
      requester: call.requester,
      completion: completion(of: call)
    )
  }

  /// Not an endpoint of App Services, where a function of the app would have to do this.
  private func changePassword(_ call: ProviderCall) throws {
    try call.service.changePassword(
      email: try call.body.string("username"),
      password: try call.body.string("password"),
      newPassword: try call.body.string("newPassword"),
      requester: call.requester,
      completion: completion(of: call)
    )
  }

  private func completion(of call: ProviderCall, status: Int = 200) -> AccountService.Completion {
    { [self] result in
      switch result {
      case .success: call.answer(APIResponse(status: status, body: .object([])))
      case .failure(let error): call.answer(response(for: error))
      }
    }
  }
}
