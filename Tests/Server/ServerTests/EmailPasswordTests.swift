// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncScheduling
@testable import FlexSyncServerSupport

@Suite("E-mail addresses and passwords")
struct EmailPasswordTests {
  private let ann = "ann@example.com"

  private func harness(clock: WallClock = .system) throws -> Harness {
    let harness = try Harness(clock: clock)
    try harness.configure {
      $0.providers.emailPassword = EmailPasswordProvider(
        confirmsAutomatically: false,
        confirmationURL: "https://app.example.com/confirm",
        resetURL: "https://app.example.com/reset?lang=en",
        resetSubject: "New password"
      )
    }
    return harness
  }

  private func redemption(_ mail: JSON, password: String? = nil) -> JSON {
    var members = [
      JSON.Member("token", mail["token"] ?? .null), JSON.Member("tokenId", mail["token_id"] ?? .null),
    ]
    if let password { members.append(JSON.Member("password", .string(password))) }
    return .object(members)
  }

  @Test("An account waits for the token of its confirmation mail")
  func confirmation() throws {
    let harness = try harness()
    #expect(try harness.register("Ann@Example.com").status == 201)
    let refusal = try harness.logIn(email: ann)
    expectRefusal(refusal, 401, "AuthError")
    #expect(refusal.json?["error"] == "confirmation required")
    let mail = try #require(try harness.mails(1).first)
    #expect(mail["type"] == "confirmation" && mail["to"]?.stringValue == ann)
    let token = try #require(mail["token"]?.stringValue)
    let tokenID = try #require(mail["token_id"]?.stringValue)
    let link = "https://app.example.com/confirm?token=\(token)&tokenId=\(tokenID)"
    #expect(mail["url"]?.stringValue == link)
    let forged: JSON = ["token": .string(token + "x"), "tokenId": .string(tokenID)]
    expectRefusal(try harness.emailPassword("confirm", forged), 400, "UserpassTokenInvalid")
    #expect(try harness.emailPassword("confirm", redemption(mail)).status == 200)
    #expect(try harness.logIn(email: ann).status == 200)
    // A token is good for one time.
    expectRefusal(try harness.emailPassword("confirm", redemption(mail)), 400, "UserpassTokenInvalid")
  }

  @Test("A wrong password does not tell that an account waits for confirmation")
  func pendingIsNotTold() throws {
    let harness = try harness()
    try harness.register(ann)
    expectRefusal(try harness.logIn(email: ann, "wrong-password"), 401, "InvalidPassword")
  }

  @Test("Mails can be asked for again, and nobody is told whether there is an account")
  func resend() throws {
    let harness = try harness()
    try harness.register(ann)
    for action in ["confirm/send", "reset/send"] {
      let known = try harness.emailPassword(action, ["email": .string(ann)])
      let unknown = try harness.emailPassword(action, ["email": "nobody@example.com"])
      #expect(known.status == 204 && unknown.status == 204)
    }
    let mails = try harness.mails(3)
    try harness.wait(milliseconds: 50)
    #expect(try harness.mails(3).count == 3)
    #expect(mails.allSatisfy { $0["to"]?.stringValue == ann })
    #expect(Set(mails.compactMap { $0["type"]?.stringValue }) == ["confirmation", "password-reset"])
  }

  @Test("Accounts that are confirmed automatically need no mail, whoever asks")
  func alreadyConfirmed() throws {
    let harness = try Harness()
    try harness.register(ann)
    for email in [ann, "nobody@example.com"] {
      let answer = try harness.emailPassword("confirm/send", ["email": .string(email)])
      expectRefusal(answer, 400, "UserAlreadyConfirmed")
    }
  }

  @Test("A reset mail lets its reader set a password, and logs out everywhere")
  func reset() throws {
    let harness = try Harness()
    try harness.configure { $0.providers.emailPassword?.resetURL = "https://app.example.com/reset?lang=en" }
    let tokens = try harness.newUser(ann)
    #expect(try harness.emailPassword("reset/send", ["email": .string(ann)]).status == 204)
    let mail = try #require(try harness.mails(1).first)
    #expect(mail["url"]?.stringValue?.hasPrefix("https://app.example.com/reset?lang=en&token=") == true)
    // No token is good for another purpose.
    expectRefusal(try harness.emailPassword("confirm", redemption(mail)), 400, "UserpassTokenInvalid")
    let short = try harness.emailPassword("reset", redemption(mail, password: "short"))
    expectRefusal(short, 400, "BadRequest")
    #expect(try harness.emailPassword("reset", redemption(mail, password: "new-secret")).status == 200)
    expectRefusal(try harness.logIn(email: ann), 401, "InvalidPassword")
    #expect(try harness.logIn(email: ann, "new-secret").status == 200)
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "InvalidSession")
    let again = try harness.emailPassword("reset", redemption(mail, password: "other-secret"))
    expectRefusal(again, 400, "UserpassTokenInvalid")
  }

  @Test("A password that was reset can be used at once, although the account was locked")
  func resetOfLockedAccount() throws {
    var policy = AccountPolicy()
    policy.failuresPerAccount = 2
    let harness = try Harness(accounts: policy)
    try harness.configure { $0.providers.emailPassword?.resetURL = "https://app.example.com/reset" }
    _ = try harness.newUser(ann)
    for _ in 0..<2 { expectRefusal(try harness.logIn(email: ann, "wrong-password"), 401, "InvalidPassword") }
    expectRefusal(try harness.logIn(email: ann), 429, "LimitExceeded")
    try harness.emailPassword("reset/send", ["email": .string(ann)])
    let mail = try #require(try harness.mails(1).first)
    #expect(try harness.emailPassword("reset", redemption(mail, password: "new-secret")).status == 200)
    #expect(try harness.logIn(email: ann, "new-secret").status == 200)
    for _ in 0..<2 { expectRefusal(try harness.logIn(email: ann, "wrong-password"), 401, "InvalidPassword") }
    expectRefusal(try harness.logIn(email: ann, "new-secret"), 429, "LimitExceeded")
  }

  @Test("An account that waits for confirmation cannot confirm itself by changing its password")
  func changeWhilePending() throws {
    let harness = try harness()
    try harness.register(ann)
    let change: JSON = [
      "username": .string(ann), "password": .string(Harness.password), "newPassword": "new-secret",
    ]
    expectRefusal(try harness.emailPassword("change", change), 401, "AuthError")
    expectRefusal(try harness.logIn(email: ann), 401, "AuthError")
  }

  @Test("The token of a mail is good until the password is set, also if the client goes before")
  func resetCutShort() throws {
    let harness = try Harness { try? $0.limits.apply("password-slots=1") }
    try harness.register(ann)
    try harness.emailPassword("reset/send", ["email": .string(ann)])
    let mail = try #require(try harness.mails(1).first)
    let accounts = try harness.served.accounts
    let cancellation = RequestCancellation()
    // Takes the slot, so that the reset waits.
    var isDone = false
    try accounts.passwords.perform(for: Requester(address: "other")) {
      { true }
    } completion: { (_: Result<Bool, any Error>) in
      isDone = true
    }
    try accounts.resetPassword(
      "new-secret",
      token: try #require(mail["token"]?.stringValue),
      tokenID: try #require(mail["token_id"]?.stringValue),
      requester: Requester(address: "192.0.2.1", cancellation: cancellation)
    ) { _ in
      Issue.record("nobody waits for this answer")
    }
    cancellation.cancel()
    try harness.run(until: { isDone }, "the slot")
    #expect(try harness.emailPassword("reset", redemption(mail, password: "new-secret")).status == 200)
    #expect(try harness.logIn(email: ann, "new-secret").status == 200)
  }

  @Test(
    "The profile has the address as it was registered; case and composition of characters make no other account"
  )
  func spelling() throws {
    let harness = try Harness()
    #expect(try harness.register("Andr\u{e9}@Example.com").status == 201)
    expectRefusal(try harness.register("andre\u{301}@example.com"), 409, "AccountNameInUse")
    let tokens = try harness.tokens(try harness.logIn(email: "ANDRE\u{301}@EXAMPLE.COM"))
    let profile = try harness.profile(tokens)
    #expect(profile["data"]?["email"] == "Andr\u{e9}@Example.com")
    #expect(profile["identities"]?.arrayValue?.first?["provider_data"]?["email"] == "Andr\u{e9}@Example.com")
    let summary = try harness.administration().show("ANDR\u{c9}@example.com")
    #expect(summary.id == tokens.userID)
  }

  @Test(
    "What a mail program could take for several addresses, or people for another one, is no address",
    arguments: [
      "a@x,victim@x", "<a@x>", "@", "@x", "a@", "a", "a@b@c", "a b@x", "a@x;b", "a@x\r\nBcc: b@x", "\"a\"@x",
      "a(b)@x",
      "a@x\u{202e}moc", "a\u{200b}@x", "a\u{85}@x", "a\u{9b}31m@x", "a\u{2028}@x", "a\u{feff}@x", "a\u{a0}@x",
    ]
  )
  func noAddresses(text: String) throws {
    let harness = try Harness()
    let refusal = try harness.register(text)
    expectRefusal(refusal, 400, "BadRequest")
    let message = try #require(refusal.json?["error"]?.stringValue)
    #expect(message.unicodeScalars.allSatisfy(ShortenedText.isPrintable))
    for allowed in ["a@x", "o'neil+tag@sub.example.com", "jörg@müller.de", "用户@例子.公司"] {
      #expect(throws: Never.self) { try EmailAddress.checked(allowed) }
    }
  }

  @Test("The token of a mail expires")
  func expiry() throws {
    let time = AdjustableTime()
    let harness = try harness(clock: time.clock)
    try harness.register(ann)
    let mail = try #require(try harness.mails(1).first)
    time.advance(seconds: 30 * 60)
    expectRefusal(try harness.emailPassword("confirm", redemption(mail)), 400, "UserpassTokenInvalid")
  }

  @Test("Who knows a password can change it")
  func change() throws {
    let harness = try Harness()
    let tokens = try harness.newUser(ann)
    func change(from old: String) throws -> Harness.Answer {
      try harness.emailPassword(
        "change",
        ["username": .string(ann), "password": .string(old), "newPassword": "new-secret"]
      )
    }
    expectRefusal(try change(from: "wrong-password"), 401, "InvalidPassword")
    #expect(try change(from: Harness.password).status == 200)
    #expect(try harness.logIn(email: ann, "new-secret").status == 200)
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "InvalidSession")
  }

  @Test("Functions of the app are refused with a word on why", arguments: ["reset/call", "confirm/call"])
  func functions(action: String) throws {
    let harness = try Harness()
    let answer = try harness.emailPassword(action, ["email": "ann@example.com", "password": "secret123"])
    expectRefusal(answer, 404, "FunctionNotFound")
    #expect(answer.json?["error"]?.stringValue?.contains("does not run functions") == true)
  }

  @Test("Providers that this server does not have are refused with a word on what to do")
  func foreignProviders() throws {
    let harness = try Harness()
    try harness.configure { $0.providers.notCarriedOver = ["oauth2-google"] }
    for (provider, hint) in [("oauth2-google", "custom-token"), ("custom-function", "not enabled")] {
      let answer = try harness.request(
        "POST",
        "\(Harness.providers)/\(provider)/login",
        body: ["id_token": "x"]
      )
      expectRefusal(answer, 404, "AuthProviderNotFound")
      #expect(answer.json?["error"]?.stringValue?.contains(hint) == true)
    }
  }
}
