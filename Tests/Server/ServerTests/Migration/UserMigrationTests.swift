// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Testing

@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Users of another server")
struct UserMigrationTests {
  @Test("A user of tokens logs in to a running server with the identifier of before")
  func tokens() throws {
    let app = try MigrationApp()
    let summary = try app.migrate()
    #expect(summary.newCount == 3 && summary.refusedCount == 0)
    let tokens = try app.harness.tokens(try app.harness.logIn(customToken: CustomTokens.sign()))
    #expect(tokens.userID == MigrationApp.tokenID)
    let profile = try app.harness.profile(tokens)
    #expect(profile["identities"]?.arrayValue?.map { $0["id"] } == [.string(CustomTokens.subject)])
  }

  @Test("Identities, data, state and times are those of before")
  func content() throws {
    let app = try MigrationApp()
    let disabled = MigrationApp.user(
      "5f8b1c2d3e4f5a6b7c8d9e99",
      MigrationApp.email("eve@example.com") + "," + MigrationApp.token("eve"),
      more: #","extra":1"#
    ).replacing(#""disabled":false"#, with: #""disabled":true"#)
    try app.migrate(disabled)
    let user = try app.harness.administration().show("eve@example.com")
    #expect(user.id == "5f8b1c2d3e4f5a6b7c8d9e99" && user.state == .disabled)
    #expect(user.providers == ["local-userpass", "custom-token"])
    #expect(user.created == 1_615_321_455 && user.lastLogin == 1_625_321_455)
    #expect(user.json["data"] == ["email": "eve@example.com", "name": "Jean"])
  }

  @Test("A second run changes nothing, and one with more identities adds them")
  func again() throws {
    let app = try MigrationApp()
    try app.migrate()
    let before = try app.state()
    let second = try app.migrate()
    #expect(second.newCount == 0 && second.completedCount == 0 && second.presentCount == 3)
    #expect(try app.state() == before)
    let more = MigrationApp.user(
      MigrationApp.annID,
      MigrationApp.email("ann@example.com") + "," + MigrationApp.token("ann")
    )
    #expect(try app.migrate(more).completedCount == 1)
    #expect(try app.harness.administration().show(MigrationApp.annID).providers.count == 2)
  }

  @Test(
    "A second run does not give a user a second identity of a provider, and JSON that is not of users is refused"
  )
  func otherIdentity() throws {
    let app = try MigrationApp()
    try app.migrate()
    let before = try app.state()
    let other = MigrationApp.user(MigrationApp.annID, MigrationApp.email("other@example.com"))
    for users in [other, #"{"_id":"5f8b1c2d3e4f5a6b7c8d9e98","taskName":"a"}"#] {
      #expect(throws: ServerError.self) { try app.migrate(users) }
    }
    #expect(try app.state() == before)
  }

  @Test("A user without identities, also one whose list is null, is taken")
  func noIdentities() throws {
    let app = try MigrationApp()
    let users = (1...2).map { MigrationApp.user("5f8b1c2d3e4f5a6b7c8d9e9\($0)", "") }
    let text = users[0] + "\n" + users[1].replacing("[]", with: "null")
    #expect(try app.migrate(text).newCount == 2)
  }

  @Test("A table that is read as JSON is told from a file of bad lines")
  func tableWithoutOption() throws {
    let table = "id,provider,identity\n\(MigrationApp.anonymousID),anon-user,1\n"
    let error = #expect(throws: ServerError.self) { try MigrationApp().migrate(table) }
    #expect("\(error as Any)".contains("is a table of comma-separated values; read it with --csv"))
  }

  @Test("A dry run counts, and makes nothing, not even the folder")
  func dryRun() throws {
    let app = try MigrationApp()
    let before = try app.state()
    let summary = try app.migrate(isDryRun: true)
    #expect(summary.userCount == 3 && summary.newCount == 3)
    #expect(summary.identityCounts == ["local-userpass": 1, "custom-token": 1, "anon-user": 1])
    #expect(summary.lostCounts == ["local-userpass": 1, "anon-user": 1])
    #expect(summary.text(isDryRun: true).contains("new (dry run): 3"))
    #expect(try app.state() == before)
    let nowhere = "\(app.harness.folder.path)/nowhere"
    let migration = try UserMigration(appDirectory: app.app.path, dataFolder: nowhere, isDryRun: true)
    #expect(try migration.run(users: app.file("users.json", MigrationApp.users)).newCount == 3)
    #expect(!FileSystem.exists(nowhere))
  }

  @Test(
    "One bad entry keeps all users out, unless it is to be left out; then it is kept, and can be corrected"
  )
  func refusals() throws {
    let app = try MigrationApp()
    let bad = [
      "{oops", MigrationApp.user("", MigrationApp.token("a")),
      MigrationApp.user("5f8b1c2d3e4f5a6b7c8d9e98", #"{"provider_type":"local-userpass","id":"1"}"#),
      MigrationApp.user("5f8b1c2d3e4f5a6b7c8d9e97", #"{"provider_type":"telepathy","id":"1"}"#),
      MigrationApp.user(MigrationApp.annID, MigrationApp.token("b")),
      MigrationApp.user("5f8b1c2d3e4f5a6b7c8d9e96", MigrationApp.email("ANN@example.com")),
    ]
    let text = MigrationApp.users + "\n" + bad.joined(separator: "\n")
    var shown: [String] = []
    #expect(try app.migrate(text, isDryRun: true).isPrevented)
    #expect(throws: ServerError.self) {
      try app.migration().run(users: app.file("users.json", text)) { shown = $0.shown }
    }
    #expect(shown.map { $0.prefix { $0 != ":" } } == (4...9).map { "line \($0)" })
    #expect(try app.state().isEmpty)

    let aside = "\(app.harness.folder.path)/aside.json"
    let summary = try app.migrate(text, skipFile: aside)
    #expect(summary.newCount == 3 && summary.refusedCount == 6)
    let lines = try MigrationApp.text(of: aside).split(separator: "\n").map(String.init)
    #expect(
      lines.count == 12
        && lines.enumerated().allSatisfy { $0.offset % 2 == 1 || $0.element.hasPrefix("# line ") }
    )
    #expect(lines[1] == "{oops")
    #expect(throws: ServerError.self) { try app.migrate(text, skipFile: aside) }

    let corrected = lines[5].replacing(#""data":{}"#, with: #""data":{"email":"bob@example.com"}"#)
    #expect(try app.migrate(lines[4] + "\n" + corrected).newCount == 1)
    #expect(try app.harness.administration().show("bob@example.com").id == "5f8b1c2d3e4f5a6b7c8d9e98")
  }

  @Test("An address that somebody registered here meanwhile is told, and nobody's account changes hands")
  func conflicts() throws {
    let app = try MigrationApp()
    let ann = try app.harness.newUser("ann@example.com")
    try app.harness.register("bob@example.com")
    let aside = "\(app.harness.folder.path)/aside.json"
    let users =
      MigrationApp.users + "\n"
      + MigrationApp.user("5f8b1c2d3e4f5a6b7c8d9e95", MigrationApp.email("bob@example.com"))
    let summary = try app.migrate(users, skipFile: aside)
    #expect(summary.newCount == 2 && summary.refusedCount == 2)
    let text = try MigrationApp.text(of: aside)
    #expect(
      text.contains("the user \(ann.userID) on this server") && text.contains("has since been registered")
    )
    #expect(try app.harness.tokens(try app.harness.logIn(email: "ann@example.com")).userID == ann.userID)
  }

  @Test("A table has a row for each identity, and refused rows are kept with the names of the columns")
  func table() throws {
    let app = try MigrationApp()
    let table = """
      id,provider,identity,email,disabled,created,data\r
      5f8b1c2d3e4f5a6b7c8d9e0f,local-userpass,,Ann@Example.com,no,1615321455,\r
      5f8b1c2d3e4f5a6b7c8d9e0f,custom-token,24601,,,,"{""name"":""Ann, the first""}"\r
      # nobody\r
      5f8b1c2d3e4f5a6b7c8d9e11,anon-user,,,yes,2021-03-09T20:24:15Z,\r
      5f8b1c2d3e4f5a6b7c8d9e12,local-userpass,,,maybe,,\r
      """
    let aside = "\(app.harness.folder.path)/aside.csv"
    let summary = try app.migrate(table, format: .table, skipFile: aside)
    #expect(summary.newCount == 2 && summary.disabledCount == 1 && summary.refusedCount == 1)
    let ann = try app.harness.administration().show(MigrationApp.annID)
    #expect(ann.json["data"] == ["email": "Ann@Example.com", "name": "Ann, the first"])
    #expect(ann.created == 1_615_321_455)
    #expect(try app.harness.administration().show(MigrationApp.anonymousID).created == 1_615_321_455)
    let corrected = try MigrationApp.text(of: aside).replacing("maybe", with: "no").replacing(
      ",,,no",
      with: ",,bob@example.com,no"
    )
    #expect(try app.migrate(corrected, format: .table).newCount == 1)
    #expect(throws: ServerError.self) { try app.migrate("id,mail\n", format: .table) }
    #expect(throws: ServerError.self) { try app.migrate("id,provider,mail\n", format: .table) }
  }
}
