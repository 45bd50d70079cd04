// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore
import FlexSyncTestSupport
import Logging
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncScheduling

@Suite("The account service by itself")
struct AccountServiceTests {
  /// Does its work at once, and counts it.
  private final class CountingWorker: BlockingWorker {
    private(set) var count = 0

    func performBlocking<Result: Sendable>(
      _ work: @escaping @Sendable () -> Result,
      completion: @escaping (Result) -> Void
    ) {
      count += 1
      completion(work())
    }
  }

  private let folder = TemporaryFolder()
  private let time = AdjustableTime()
  private let worker = CountingWorker()
  private let service: AccountService

  init() throws {
    service = try AccountService(
      app: try AppDirectory.load(PackageFolder.taskTracker),
      store: try ServerStore(path: "\(folder.path)/data.sqlite"),
      signer: TokenSigner(key: [UInt8](repeating: 1, count: 32)),
      clock: time.clock,
      worker: worker,
      policy: AccountPolicy(),
      mailDelivery: nil,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
  }

  private let requester = Requester(address: "192.0.2.1")

  private var request: AccountService.LoginRequest { AccountService.LoginRequest(of: requester) }

  private func logIn(_ email: String, _ password: String) throws -> Result<
    AccountService.LoginAnswer, any Error
  > {
    var answer: Result<AccountService.LoginAnswer, any Error>?
    try service.login(email: email, password: password, request: request) { answer = $0 }
    return try #require(answer)
  }

  @Test("An unknown address costs the same work as a wrong password, and gets the same answer")
  func enumeration() throws {
    try service.register(email: "ann@example.com", password: "secret123", requester: requester) { _ in }
    for email in ["ann@example.com", "nobody@example.com"] {
      let before = worker.count
      #expect(throws: AccountError.invalidCredentials) { try logIn(email, "wrong-password").get() }
      #expect(worker.count == before + 1)
    }
  }

  @Test("Whether a reset mail is asked for by somebody or nobody, a token is made")
  func resetRequests() throws {
    try service.register(email: "ann@example.com", password: "secret123", requester: requester) { _ in }
    func tokenCount() throws -> Int64 {
      try service.store.database.withStatement("SELECT count(*) FROM flx_mail_tokens") { statement in
        try statement.step() ? statement.int(0) : 0
      }
    }
    for (number, email) in ["ann@example.com", "nobody@example.com"].enumerated() {
      try service.requestPasswordReset(email: email, address: "192.0.2.1")
      #expect(try tokenCount() == Int64(number + 1))
    }
    time.advance(seconds: 3600)
    service.forgetExpired()
    #expect(try tokenCount() == 0)
  }

  @Test("Anonymous users who can never come back are forgotten, and nobody else")
  func lostUsers() throws {
    let anonymous = try service.loginAnonymously(request).userID
    try service.register(email: "ann@example.com", password: "secret123", requester: requester) { _ in }
    let ann = try logIn("ann@example.com", "secret123").get().userID
    time.advance(seconds: 59 * 24 * 3600)
    let newer = try service.loginAnonymously(request).userID
    service.forgetExpired()
    #expect(try service.store.user(id: anonymous) != nil)
    time.advance(seconds: 2 * 24 * 3600)
    service.forgetExpired()
    #expect(try service.store.user(id: anonymous) == nil)
    for userID in [ann, newer] { #expect(try service.store.user(id: userID) != nil) }
  }
}
