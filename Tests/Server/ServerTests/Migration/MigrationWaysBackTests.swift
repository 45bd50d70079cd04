// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import Testing

@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Migration: how users of another server get back in")
struct MigrationWaysBackTests {
  private let ann = "ann@example.com"
  /// Of "correct horse", by another program.
  private static let knownHash = "$2b$04$QRPTmbsSRGQ.wrvcPDRWUeOsanbx/b4McZBheJYbh7qfde5PUvnOq"

  #if os(Linux)
  @Test("A hash of bcrypt lets the user in with the password of before, and nobody else")
  func bcrypt() throws {
    let app = try MigrationApp()
    var options = MigrationOptions()
    options.passwordFile = app.file("hashes.csv", "email,hash\nAnn@example.com,\(Self.knownHash)\n")
    let summary = try app.migrate(options: options)
    #expect(summary.secretCount == 1 && summary.lostCounts == ["anon-user": 1])
    expectRefusal(try app.harness.logIn(email: ann, "wrong horse"), 401, "InvalidPassword")
    let tokens = try app.harness.tokens(try app.harness.logIn(email: ann, "correct horse"))
    #expect(tokens.userID == MigrationApp.annID)
    let before = try app.state()
    #expect(try app.migrate(options: options).presentCount == 3)
    #expect(try app.state() == before)
  }
  #endif

  @Test("A hash of scrypt lets the user in, and is not put over a password that the user has set here")
  func scrypt() throws {
    let app = try MigrationApp()
    var options = MigrationOptions()
    let hash = try PasswordHash.hash(password: "correct horse")
    options.passwordFile = app.file("hashes.csv", "\(ann),\"\(hash)\"\n")
    try app.migrate()
    #expect(try app.migrate(options: options).completedCount == 1)
    #expect(
      try app.harness.tokens(try app.harness.logIn(email: ann, "correct horse")).userID == MigrationApp.annID
    )
    try app.harness.administration().setPassword("another secret", of: ann)
    #expect(try app.migrate(options: options).completedCount == 0)
    #expect(try app.harness.logIn(email: ann, "another secret").status == 200)
  }

  @Test("Two hashes for addresses of one account are refused, since only one can be the user's")
  func repeatedAddress() throws {
    let app = try MigrationApp()
    var options = MigrationOptions()
    options.passwordFile = app.file(
      "hashes.csv",
      "\(ann),\(Self.knownHash)\nAnn@example.com,\(Self.knownHash)\n"
    )
    let error = #expect(throws: ServerError.self) { try app.migrate(options: options) }
    #expect(error?.description.contains("line 2: an earlier line has the same email") == true)
    #expect(try app.state().isEmpty)
  }

  @Test(
    "Hashes that cannot be checked are refused with their lines, before anything is done",
    arguments: [
      "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA", "5f4dcc3b5aa765d61d8327deb882cf99",
      "$2b$31$QRPTmbsSRGQ.wrvcPDRWUevGOp2aVRtyoZmmqWqh0Wfz6y1.5/EHu", "$2b$04$short",
      "$scrypt$ln=30,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "",
    ]
  )
  func badHash(_ hash: String) throws {
    let app = try MigrationApp()
    var options = MigrationOptions()
    options.passwordFile = app.file("hashes.csv", "# others\n\(ann),\(hash)\n")
    let error = #expect(throws: ServerError.self) { try app.migrate(options: options) }
    #expect(error?.description.contains("line 2") == true)
    #expect(try app.state().isEmpty)
  }

  @Test("Until the given time the first password counts, once, and not for a user who is disabled")
  func firstPassword() throws {
    let app = try MigrationApp()
    var options = MigrationOptions()
    options.firstPasswordEnd = app.time.clock.seconds + 3600
    let eve = MigrationApp.user("5f8b1c2d3e4f5a6b7c8d9e99", MigrationApp.email("eve@example.com"))
      .replacing(#""disabled":false"#, with: #""disabled":true"#)
    let bob = MigrationApp.user("5f8b1c2d3e4f5a6b7c8d9e98", MigrationApp.email("bob@example.com"))
    let summary = try app.migrate([MigrationApp.users, eve, bob].joined(separator: "\n"), options: options)
    #expect(summary.secretCount == 2 && !summary.warnings.isEmpty && summary.lostCounts == ["anon-user": 1])
    expectRefusal(try app.harness.logIn(email: ann, "short"), 401, "InvalidPassword")
    #expect(
      try app.harness.tokens(try app.harness.logIn(email: ann, "correct horse")).userID == MigrationApp.annID
    )
    expectRefusal(try app.harness.logIn(email: ann, "another one"), 401, "InvalidPassword")
    #expect(try app.harness.logIn(email: ann, "correct horse").status == 200)
    expectRefusal(try app.harness.logIn(email: "eve@example.com", "correct horse"), 401, "InvalidPassword")
    #expect(try app.migrate(options: options).presentCount == 3)
    app.time.advance(seconds: 3600)
    expectRefusal(try app.harness.logIn(email: "bob@example.com", "correct horse"), 401, "InvalidPassword")
    #expect(throws: ServerError.self) { try app.migrate(options: options) }
  }

  @Test("Those without a password get one mail each, with the page of the app, and set one with it")
  func resetMails() throws {
    let app = try MigrationApp()
    var options = MigrationOptions()
    options.mailDelivery = .folder(Harness.mailFolder(app.harness.folder.path))
    #expect(try app.migrate(options: options, isDryRun: true).mailCount == 1)
    let summary = try app.migrate(options: options)
    #expect(summary.mailCount == 1 && summary.warnings.isEmpty && summary.lostCounts == ["anon-user": 1])
    #expect(try app.migrate(options: options).mailCount == 0)
    let mails = try app.harness.mails(1)
    #expect(mails.count == 1)
    let mail = try #require(mails.first)
    #expect(mail["to"]?.stringValue == ann)
    #expect(mail["url"]?.stringValue?.hasPrefix("https://tasks.example.com/reset?token=") == true)
    app.time.advance(seconds: 6 * 86_400)
    let reset: JSON = [
      "token": mail["token"] ?? .null, "tokenId": mail["token_id"] ?? .null, "password": "correct horse",
    ]
    #expect(try app.harness.emailPassword("reset", reset).status == 200)
    #expect(
      try app.harness.tokens(try app.harness.logIn(email: ann, "correct horse")).userID == MigrationApp.annID
    )
    #expect(try app.migrate(options: options).mailCount == 0)
  }

  @Test("A mail that cannot be handed over is told, and sent by the next run; a missing page is warned of")
  func failedMails() throws {
    let app = try MigrationApp(resetURL: "")
    var options = MigrationOptions()
    options.mailDelivery = .command("/nowhere/sendmail")
    let summary = try app.migrate(options: options)
    #expect(summary.mailCount == 0 && summary.mailErrors.count == 1)
    #expect(summary.warnings.contains { $0.contains("resetPasswordUrl") })
    options.mailDelivery = .folder(Harness.mailFolder(app.harness.folder.path))
    #expect(try app.migrate(options: options).mailCount == 1)
  }

  @Test("An anonymous user logs in with the key from the file, is the same user, and is not forgotten")
  func anonymousKeys() throws {
    let app = try MigrationApp()
    var options = MigrationOptions()
    let path = "\(app.harness.folder.path)/keys.csv"
    options.anonymousKeyFile = path
    #expect(try app.migrate(options: options, isDryRun: true).anonymousKeyCount == 1)
    #expect(!FileSystem.exists(path))
    let summary = try app.migrate(options: options)
    #expect(summary.anonymousKeyCount == 1 && summary.lostCounts == ["local-userpass": 1])
    let lines = try MigrationApp.text(of: path).split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == "user_id,key")
    let parts = lines[1].split(separator: ",")
    #expect(parts[0] == MigrationApp.anonymousID)
    let answer = try app.harness.request(
      "POST",
      "\(Harness.providers)/api-key/login",
      body: ["key": .string(String(parts[1]))]
    )
    let tokens = try app.harness.tokens(answer)
    #expect(tokens.userID == MigrationApp.anonymousID)
    // An SDK deletes the files of users who are nothing but anonymous when they log out.
    let types = try app.harness.profile(tokens)["identities"]?.arrayValue?.map { $0["provider_type"] }
    #expect(types == ["anon-user", "api-key"])
    #expect(throws: ServerError.self) { try app.migrate(options: options) }
    options.anonymousKeyFile = "\(app.harness.folder.path)/more.csv"
    #expect(try app.migrate(options: options).anonymousKeyCount == 0)
  }

  @Test("A key that the operator knows goes on to log its user in")
  func apiKeys() throws {
    let app = try MigrationApp()
    let key = "a-key-that-nobody-can-guess-0123456789"
    let id = "5f8b1c2d3e4f5a6b7c8d9e50"
    let user = MigrationApp.user(
      "5f8b1c2d3e4f5a6b7c8d9e51",
      #"{"id":"\#(id)","provider_type":"api-key","data":{"name":"importer"}}"#
    ).replacing(#""type":"normal""#, with: #""type":"server""#)
    #expect(try app.migrate(user).lostCounts == ["api-key": 1])
    var options = MigrationOptions()
    options.apiKeyFile = app.file("keys.csv", "id,key\n\(id),\(key)\n")
    let summary = try app.migrate(user, options: options)
    #expect(summary.completedCount == 1 && summary.lostCounts.isEmpty)
    let answer = try app.harness.request(
      "POST",
      "\(Harness.providers)/api-key/login",
      body: ["key": .string(key)]
    )
    #expect(try app.harness.tokens(answer).userID == "5f8b1c2d3e4f5a6b7c8d9e51")
    options.apiKeyFile = app.file("keys.csv", "\(id),short\n")
    #expect(throws: ServerError.self) { try app.migrate(user, options: options) }
  }
}
