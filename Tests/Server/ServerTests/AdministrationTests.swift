// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("The operator's tools")
struct AdministrationTests {
  private let ann = "ann@example.com"

  @Test("Users and accounts are listed with their state")
  func list() throws {
    let harness = try Harness()
    try harness.configure { $0.providers.emailPassword?.confirmsAutomatically = false }
    try harness.register("pending@example.com")
    try harness.configure { $0.providers.emailPassword?.confirmsAutomatically = true }
    try harness.register("registered@example.com")
    let user = try harness.newUser(ann)
    let anonymous = try harness.logIn()
    let administration = try harness.administration()
    try administration.setDisabled(true, anonymous.userID)
    let states = try administration.users().map { "\($0.email ?? "-") \($0.state)" }.sorted()
    #expect(
      states == [
        "- disabled", "ann@example.com enabled", "pending@example.com pending",
        "registered@example.com registered",
      ]
    )
    let shown = try administration.show(ann)
    #expect(shown.id == user.userID && shown.providers == ["local-userpass"])
    #expect(shown.json["sessions"]?.arrayValue?.count == 1)
    #expect(shown.json["data"] == ["email": .string(ann)])
    #expect(try administration.show(user.userID).json == shown.json)
    #expect(throws: ServerError.self) { try administration.show("nobody") }
  }

  @Test("Accounts are created, confirmed and deleted")
  func accounts() throws {
    let harness = try Harness()
    let administration = try harness.administration()
    let created = try administration.createAccount(email: "Ann@Example.com", password: Harness.password)
    #expect(try harness.tokens(try harness.logIn(email: ann)).userID == created.id)
    #expect(throws: ServerError.self) { try administration.createAccount(email: ann, password: "secret456") }
    #expect(throws: ServerError.self) {
      try administration.createAccount(email: "bob@example.com", password: "x")
    }

    try harness.configure { $0.providers.emailPassword?.confirmsAutomatically = false }
    try harness.register("eve@example.com")
    expectRefusal(try harness.logIn(email: "eve@example.com"), 401, "AuthError")
    try administration.confirm("eve@example.com")
    #expect(try harness.logIn(email: "eve@example.com").status == 200)

    try harness.register("new@example.com")
    try administration.delete("new@example.com")
    #expect(throws: ServerError.self) { try administration.show("new@example.com") }
  }

  @Test("Passwords are set, or tokens made with which users set them")
  func passwords() throws {
    let harness = try Harness()
    _ = try harness.newUser(ann)
    let administration = try harness.administration()
    try administration.setPassword("other-secret", of: ann)
    #expect(try harness.logIn(email: ann, "other-secret").status == 200)
    let mail = try administration.makeResetToken(for: ann)
    let reset: JSON = [
      "token": mail["token"] ?? .null, "tokenId": mail["token_id"] ?? .null, "password": "third-secret",
    ]
    #expect(try harness.emailPassword("reset", reset).status == 200)
    #expect(try harness.logIn(email: ann, "third-secret").status == 200)
    let anonymous = try harness.logIn()
    #expect(throws: ServerError.self) { try administration.setPassword("other-secret", of: anonymous.userID) }
  }

  @Test("The commands know without the app directory what the server has read there")
  func withoutDirectory() throws {
    let app = SmallApp(schemas: [
      "people": """
      {"title":"Person","bsonType":"object","required":["_id","owner"],
       "properties":{"_id":{"bsonType":"long"},"owner":{"bsonType":"string"},"role":{"bsonType":"string"}}}
      """
    ])
    app.folder.write(
      """
      {"local-userpass":{"type":"local-userpass","config":{"autoConfirm":true,
       "resetPasswordUrl":"https://app.example.com/reset","resetPasswordSubject":"New password"}}}
      """,
      to: "auth/providers.json"
    )
    app.folder.write(
      #"{"enabled":true,"mongo_service_name":"s","database_name":"d","collection_name":"people","user_id_field":"owner"}"#,
      to: "auth/custom_user_data.json"
    )
    let harness = try Harness(app: app.path)
    let user = try harness.newUser(ann)
    let administration = try AccountAdministration(dataFolder: "\(harness.folder.path)/data", app: nil)
    let mail = try administration.makeResetToken(for: ann)
    #expect(mail["url"]?.stringValue?.hasPrefix("https://app.example.com/reset?token=") == true)
    #expect(mail["subject"] == "New password")
    harness.folder.write(#"{"_id":1,"owner":"\#(user.userID)","role":"manager"}"#, to: "people.json")
    let importer = try DataImport(
      appDirectory: app.path,
      dataFolder: "\(harness.folder.path)/data",
      logger: LogLines().logger
    )
    _ = try importer.run(file: "\(harness.folder.path)/people.json", collection: "people")
    #expect(try administration.show(ann).json["custom_data"]?["role"] == "manager")
    #expect(throws: ServerError.self) { try administration.setCustomData(["a": 1], of: ann) }
  }

  @Test(
    "The commands warn of passwords and keys with which nobody can log in, and of data too long for tokens"
  )
  func warnings() throws {
    let harness = try Harness()
    try harness.configure {
      $0.providers.emailPassword = nil
      $0.customUserData = CustomUserDataConfiguration(
        collection: "people",
        userIDField: "owner",
        className: nil
      )
    }
    let data = "\(harness.folder.path)/data"
    harness.folder.write("password", to: "password")
    let password = harness.folder.file("password")
    func command(_ arguments: String...) throws -> Command {
      try Command(["users"] + arguments + ["--data", data])
    }
    let create = try command("create", "--email", ann, "--password-file", password)
    #expect(create.status == 0 && create.errors.contains("warning: "), "\(create.errors)")
    #expect(create.errors.contains("does not enable the provider local-userpass"))
    let key = try command("api-keys", "create", "--name", "importer")
    #expect(key.status == 0 && key.errors.contains("does not enable the provider api-key"), "\(key.errors)")
    for length in [100, 20_000] {
      harness.folder.write(#"{"text":"\#(String(repeating: "n", count: length))"}"#, to: "data.json")
      let set = try command("set-custom-data", ann, "--file", "\(harness.folder.path)/data.json")
      #expect(set.status == 0 && set.errors.contains("longer than 16 KiB") == (length > 100), "\(set.errors)")
    }
    try harness.configure {
      $0.providers.emailPassword = EmailPasswordProvider(resetURL: nil, resetSubject: nil)
      $0.providers.allowsAPIKeys = true
    }
    #expect(try command("api-keys", "create", "--name", "other").errors.isEmpty)
  }

  @Test(
    "A password file with what nobody can type is refused",
    arguments: [
      [0xef, 0xbb, 0xbf] + Array("password".utf8), Array("pass\0word".utf8),
      Array("passw".utf8) + [0xf6, 0x72],
    ] as [[UInt8]]
  )
  func passwordFile(bytes: [UInt8]) throws {
    let harness = try Harness()
    let file = harness.folder.file("password")
    try FileSystem.writePrivately(bytes, to: file)
    let command = try Command([
      "users", "create", "--data", "\(harness.folder.path)/data", "--email", ann, "--password-file", file,
    ])
    #expect(command.status == 1 && command.errors.contains("must be UTF-8 text"), "\(command.errors)")
  }

  @Test("Custom data that nobody would see are refused")
  func customDataOff() throws {
    let harness = try Harness()
    let user = try harness.logIn()
    let administration = try AccountAdministration(dataFolder: "\(harness.folder.path)/data", app: nil)
    let error = #expect(throws: ServerError.self) {
      try administration.setCustomData(["a": 1], of: user.userID)
    }
    #expect(error?.description.contains("does not enable custom user data") == true)
    try administration.setCustomData(nil, of: user.userID)
  }

  @Test("Before a server has read the directory, the commands say that they need it instead of guessing")
  func neverServed() throws {
    let app = try MigrationApp()
    let data = app.harness.folder.file("imported")
    let migration = try UserMigration(appDirectory: app.app.path, dataFolder: data)
    _ = try migration.run(users: app.file("users.json", MigrationApp.users))
    let administration = try AccountAdministration(dataFolder: data, app: nil)
    let error = #expect(throws: ServerError.self) { try administration.makeResetToken(for: ann) }
    #expect("\(error as Any)".contains("give the app directory as --app DIR"))
    let known = try AccountAdministration(dataFolder: data, app: app.app.path)
    #expect(try known.makeResetToken(for: ann)["to"] == .string(ann))
  }

  @Test("An app is shown by its identifier, its directory, or without either if it is the only one")
  func showForms() throws {
    let harness = try Harness()
    let folder = "\(harness.folder.path)/data"
    let forms = [
      [], ["--app", Harness.appID], [Harness.appID], ["--app", PackageFolder.taskTracker],
      [PackageFolder.taskTracker],
    ]
    for form in forms {
      let command = try Command(["apps", "show", "--data", folder] + form)
      #expect(command.status == 0 && command.output.contains("id: \(Harness.appID)"), "\(command.errors)")
    }
  }

  @Test("Records are found by a user's email address, and an unknown user is not taken for a silent one")
  func recordsOfUser() throws {
    let harness = try Harness()
    let tokens = try harness.newUser(ann)
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.disconnect()
    try harness.restart()
    let arguments = ["logs", "--app", Harness.appID, "--data", "\(harness.folder.path)/data", "--user"]
    for name in [ann, "Ann@Example.com", tokens.userID] {
      let command = try Command(arguments + [name])
      #expect(command.status == 0 && command.output.contains("SYNC_SESSION_START"), "\(command.errors)")
    }
    for name in ["bob@example.com", "5f8b1c2d3e4f5a6b7c8d9e98"] {
      let command = try Command(arguments + [name])
      #expect(command.status == 1 && command.errors.contains("has no user \"\(name)\""))
    }
  }

  @Test("A user who is deleted while no server runs is gone when it starts")
  func deletedOffline() throws {
    let harness = try Harness()
    let tokens = try harness.newUser(ann)
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.disconnect()
    try harness.restart { try harness.administration().delete(tokens.userID) }
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "UserNotFound")
    #expect(try harness.served.engine.store.file(ident: client.file?.ident ?? 0) == nil)
  }

  @Test("The apps of a data folder are listed with what they hold")
  func apps() throws {
    let harness = try Harness()
    _ = try harness.logIn()
    let folder = "\(harness.folder.path)/data"
    let apps = try AppSummary.all(dataFolder: folder)
    #expect(apps.map(\.id) == [Harness.appID])
    #expect(apps.first?.userCount == 1)
    #expect(
      try AppSummary.one(Harness.appID, dataFolder: folder).objectCounts.map(\.className) == ["Task", "Team"]
    )
    #expect(try AccountAdministration(dataFolder: folder, app: nil).appID == Harness.appID)
    #expect(
      try AccountAdministration(dataFolder: folder, app: PackageFolder.taskTracker).appID == Harness.appID
    )
    #expect(throws: ServerError.self) { try AccountAdministration(dataFolder: folder, app: "unknown-app") }
    #expect(throws: ServerError.self) { try AccountAdministration(dataFolder: "\(folder)/none", app: nil) }
  }
}
