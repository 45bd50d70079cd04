// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncJSON
import FlexSyncServerStore
import FlexSyncTransport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncCrypto
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

/// Users and their accounts.
extension Harness {
  static let providers = "/app/\(appID)/auth/providers"
  static let password = "secret123"

  var served: ServedApp {
    get throws { try #require(server.apps[Harness.appID]) }
  }

  /// Goes on with another configuration of the app.
  func configure(_ change: (inout AppConfiguration) -> Void) throws {
    let accounts = try served.accounts
    var app = accounts.app
    change(&app)
    try accounts.use(app)
    try AppNote(app).write(to: served.engine.store)
  }

  @discardableResult
  func emailPassword(_ action: String, _ body: JSON) throws -> Answer {
    try request("POST", "\(Harness.providers)/local-userpass/\(action)", body: body)
  }

  @discardableResult
  func register(_ email: String, _ password: String = Harness.password) throws -> Answer {
    try emailPassword("register", ["email": .string(email), "password": .string(password)])
  }

  func logIn(email: String, _ password: String = Harness.password) throws -> Answer {
    try emailPassword("login", ["username": .string(email), "password": .string(password)])
  }

  /// A new user with an e-mail address.
  func newUser(_ email: String) throws -> Tokens {
    try register(email)
    return try tokens(try logIn(email: email))
  }

  func logIn(customToken token: String) throws -> Answer {
    try request("POST", "\(Harness.providers)/custom-token/login", body: ["token": .string(token)])
  }

  func profile(_ tokens: Tokens) throws -> JSON {
    try #require(try request("GET", "/auth/profile", token: tokens.access).json)
  }

  /// The operator's tools beside the server.
  func administration() throws -> AccountAdministration {
    try AccountAdministration(dataFolder: "\(folder.path)/data", app: Harness.appID)
  }

  /// The mails that were handed over, once there are so many.
  func mails(_ count: Int) throws -> [JSON] {
    let path = Harness.mailFolder(folder.path)
    var files: [String] = []
    try run(
      until: {
        files = FileSystem.isDirectory(path) ? try FileSystem.entries(of: path) : []
        return files.filter { $0.hasSuffix(".json") }.count >= count
      },
      "mails"
    )
    return try files.map { try JSON.parse(try FileSystem.contents(of: "\(path)/\($0)")) }
  }

  /// Accounts `0@example.com`, `1@example.com`, …, whose passwords are checked in no time.
  func addCheapAccounts(_ count: Int) throws {
    let store = try served.accounts.store
    let hash = try PasswordHash.hash(
      password: Harness.password,
      parameters: ScryptParameters(logarithmicCost: 4, blockSize: 8, parallelism: 1),
      salt: [UInt8](repeating: 1, count: 16)
    )
    try store.write {
      for number in 0..<count {
        var identity = IdentityRecord(
          provider: Provider.emailPassword,
          subject: "\(number)@example.com",
          id: Identifiers.make(),
          created: 0
        )
        identity.passwordHash = hash
        let isNew = try store.insert(identity)
        #expect(isNew)
      }
    }
  }

  /// Logs in with all addresses before any of them has an answer.
  ///
  /// - Returns: The statuses in the order of the answers.
  func logInAtOnce(_ emails: [String], _ password: String = Harness.password) throws -> [Int] {
    let url = try WebURL(
      parsing: "http://\(server.endpoint)/api/client/v2.0\(Harness.providers)/local-userpass/login"
    )
    var statuses: [Int] = []
    let client = HTTPClient(loop: loop)
    for email in emails {
      let body: JSON = ["username": .string(email), "password": .string(password)]
      let request = HTTPClientRequest(method: "POST", url: url, body: Array(body.serialized.utf8))
      client.send(request) { statuses.append((try? $0.get().status) ?? 0) }
    }
    try run(until: { statuses.count == emails.count }, "answers", seconds: 60)
    return statuses
  }

  /// Turns the loop for a while in which nothing should happen.
  func wait(milliseconds: UInt64) throws {
    let end = loop.monotonicMilliseconds + milliseconds
    try run(until: { loop.monotonicMilliseconds >= end }, "nothing")
  }
}

/// Expects a refusal that clients can read.
func expectRefusal(
  _ answer: Harness.Answer,
  _ status: Int,
  _ code: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(answer.status == status, sourceLocation: sourceLocation)
  #expect(answer.json?["error_code"]?.stringValue == code, sourceLocation: sourceLocation)
  #expect(answer.json?["error"]?.stringValue?.isEmpty == false, sourceLocation: sourceLocation)
  #expect(answer.contentType == "application/json", sourceLocation: sourceLocation)
}
