// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncAccounts

@Suite("How much anybody may try")
struct AttemptLimitTests {
  private let ann = "ann@example.com"

  private func harness(_ time: AdjustableTime, _ change: (inout AccountPolicy) -> Void) throws -> Harness {
    var policy = AccountPolicy()
    change(&policy)
    return try Harness(clock: time.clock, accounts: policy)
  }

  @Test("An account is locked for a while after too many wrong passwords, whether it exists or not")
  func accounts() throws {
    let time = AdjustableTime()
    let harness = try harness(time) { $0.failuresPerAccount = 2 }
    try harness.register(ann)
    for email in [ann, "nobody@example.com"] {
      for _ in 0..<2 {
        expectRefusal(try harness.logIn(email: email, "wrong-password"), 401, "InvalidPassword")
      }
      let refusal = try harness.logIn(email: email)
      expectRefusal(refusal, 429, "LimitExceeded")
    }
    time.advance(seconds: 15 * 60)
    #expect(try harness.logIn(email: ann).status == 200)
  }

  @Test("A right password takes back what was wrong before")
  func success() throws {
    let harness = try harness(AdjustableTime()) { $0.failuresPerAccount = 2 }
    try harness.register(ann)
    for _ in 0..<3 {
      expectRefusal(try harness.logIn(email: ann, "wrong-password"), 401, "InvalidPassword")
      #expect(try harness.logIn(email: ann).status == 200)
    }
  }

  @Test("An address that fails too often is locked out of all accounts")
  func addresses() throws {
    let harness = try harness(AdjustableTime()) { $0.failuresPerAddress = 3 }
    try harness.register(ann)
    for number in 0..<3 {
      expectRefusal(try harness.logIn(email: "\(number)@example.com"), 401, "InvalidPassword")
    }
    expectRefusal(try harness.logIn(email: ann), 429, "LimitExceeded")
  }

  @Test("Attempts count from their beginning, so that many at once are no way around")
  func parallel() throws {
    let harness = try harness(AdjustableTime()) { $0.failuresPerAccount = 2 }
    try harness.register(ann)
    let statuses = try harness.logInAtOnce(Array(repeating: ann, count: 5), "wrong-password")
    #expect(statuses.sorted() == [401, 401, 429, 429, 429])
  }

  @Test("Many users behind one address log in at once, though few of them may fail")
  func manyUsers() throws {
    let harness = try harness(AdjustableTime()) {
      $0.failuresPerAddress = 10
      $0.failuresPerAccount = 10
    }
    try harness.addCheapAccounts(200)
    let statuses = try harness.logInAtOnce((0..<200).map { "\($0)@example.com" })
    #expect(statuses == Array(repeating: 200, count: 200))
  }

  @Test("New anonymous users of one address are limited, and those who are users already are not")
  func anonymousUsers() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock) { try? $0.limits.apply("anonymous-users-per-address=2") }
    let path = "\(Harness.providers)/anon-user/login"
    let first = try harness.logIn()
    _ = try harness.logIn()
    let refusal = try harness.send("POST", path, body: #"{"provider":"anon-user"}"#)
    #expect(refusal.status == 429 && refusal.headers["Retry-After"] == "900")
    #expect(try harness.request("POST", "/auth/session", token: first.refresh).status == 201)
    time.advance(seconds: 15 * 60)
    #expect(try harness.request("POST", path, body: ["provider": "anon-user"]).status == 200)
  }

  @Test("Registrations and mails are limited")
  func registrationsAndMails() throws {
    let harness = try harness(AdjustableTime()) {
      $0.registrationsPerAddress = 1
      $0.mailsPerAccount = 1
      $0.mailsPerAddress = 2
    }
    #expect(try harness.register(ann).status == 201)
    expectRefusal(try harness.register("bob@example.com"), 429, "LimitExceeded")
    #expect(try harness.emailPassword("reset/send", ["email": .string(ann)]).status == 204)
    expectRefusal(try harness.emailPassword("reset/send", ["email": .string(ann)]), 429, "LimitExceeded")
    expectRefusal(try harness.emailPassword("reset/send", ["email": "x@example.com"]), 429, "LimitExceeded")
  }

  @Test("Only a trusted proxy says where a client is", arguments: [false, true])
  func forwardedAddresses(isTrusted: Bool) throws {
    let harness = try harness(AdjustableTime()) {
      $0.failuresPerAddress = 1
      $0.trustsForwardedAddress = isTrusted
    }
    let statuses = try (1...2).map { number in
      try harness.request(
        "POST",
        "\(Harness.providers)/local-userpass/login",
        body: ["username": .string("\(number)@example.com"), "password": "secret123"],
        headers: ["X-Forwarded-For": "10.2.0.\(3 - number), 10.0.0.1", "x-forwarded-for": "10.1.0.\(number)"]
      ).status
    }
    #expect(statuses == [401, isTrusted ? 401 : 429])
  }

  @Test("Addresses of one customer are one")
  func addressKeys() {
    #expect(ClientAddress.key(of: "192.0.2.7") == "192.0.2.7")
    #expect(ClientAddress.key(of: "::ffff:192.0.2.7") == "192.0.2.7")
    #expect(ClientAddress.key(of: "2001:db8:1:2::1") == ClientAddress.key(of: "2001:db8:1:2:ffff::9"))
    #expect(ClientAddress.key(of: "2001:db8:1:2::1") != ClientAddress.key(of: "2001:db8:1:3::1"))
    #expect(ClientAddress.key(of: "") == ClientAddress.unknown)
  }

  @Test("The first refusal within a window is reported")
  func reports() throws {
    var limiter = AttemptLimiter(windowSeconds: 10)
    var reported: [AttemptLimiter.Subject] = []
    limiter.onExceeded = { reported.append($0) }
    for time in [0, 1, 2, 3, 10, 11, 12] as [Int64] {
      try? limiter.begin(.address("a"), limit: 1, now: time)
      try? limiter.begin(.mailRequest(address: "a"), limit: 3, now: time)
    }
    #expect(reported == [.address("a"), .mailRequest(address: "a"), .address("a")])
  }

  @Test("A limiter forgets windows that are over")
  func windows() throws {
    var limiter = AttemptLimiter(windowSeconds: 10)
    try limiter.begin(.account("a"), limit: 1, now: 0)
    #expect(throws: AccountError.tooManyAttempts(seconds: 1)) {
      try limiter.begin(.account("a"), limit: 1, now: 9)
    }
    try limiter.begin(.address("a"), limit: 1, now: 9)
    try limiter.begin(.account("a"), limit: 1, now: 10)
    limiter.takeBack(.account("a"))
    try limiter.begin(.account("a"), limit: 1, now: 10)
  }
}
