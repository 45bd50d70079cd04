// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules
@testable import FlexSyncServerSupport

/// From the files of an app directory to a log-in.
@Suite("Providers of an app directory")
struct ProviderDirectoryTests {
  private let folder = TemporaryFolder()

  init() {
    folder.write(#"{"app_id":"\#(Harness.appID)","name":"Tracker"}"#, to: "root_config.json")
    folder.write(
      """
      {"type":"flexible","state":"enabled","development_mode_enabled":true,"service_name":"mongodb-atlas",
      "database_name":"tracker"}
      """,
      to: "sync/config.json"
    )
  }

  private func write(_ providers: JSON) { folder.write(providers.serialized, to: "auth/providers.json") }

  private func customToken(_ config: JSON, keys: JSON = []) -> JSON {
    [
      "custom-token": [
        "type": "custom-token", "config": config, "secret_config": ["signingKeys": keys],
        "metadata_fields": [["name": "user_data.name", "required": true]],
      ]
    ]
  }

  @Test("A key from the secrets of the directory checks tokens")
  func secret() throws {
    write(customToken(["audience": "tracker-app"], keys: ["tokenKey"]))
    folder.write(
      JSON.object([JSON.Member("tokenKey", .string(CustomTokens.secret))]).serialized,
      to: "secrets.json"
    )
    let harness = try Harness(app: folder.path, clock: AdjustableTime().clock)
    let token = CustomTokens.sign(CustomTokens.claims(("aud", "tracker-app")))
    let tokens = try harness.tokens(try harness.logIn(customToken: token))
    #expect(try harness.profile(tokens)["data"] == ["name": "Jean Valjean"])
    expectRefusal(try harness.logIn(customToken: CustomTokens.sign()), 401, "AuthError")
  }

  @Test(
    "A key set in the directory checks tokens of both algorithms",
    arguments: [CustomTokens.rsaToken, CustomTokens.ecToken]
  )
  func keySet(token: String) throws {
    write(customToken(["useJWKURI": true, "jwkURI": "https://issuer.example.com/keys"]))
    folder.write(CustomTokens.keySet, to: "auth/jwks.json")
    let harness = try Harness(app: folder.path, clock: AdjustableTime().clock)
    #expect(try harness.logIn(customToken: token).status == 200)
  }

  @Test("A key that cannot be used is a problem of the directory")
  func badKey() throws {
    write(customToken(["signingAlgorithm": "RS256"], keys: ["tokenKey"]))
    folder.write(#"{"tokenKey":"no key"}"#, to: "secrets.json")
    let error = try #require(throws: ConfigurationError.self) { try AppDirectory.load(folder.path) }
    #expect(error.problems.map(\.file) == ["auth/providers.json"])
    #expect(error.problems.first?.message.contains("PEM") == true)
  }

  @Test("The field by which custom user data are found is indexed, in new data and in old")
  func customDataIndex() throws {
    let app = TemporaryFolder()
    for file in [
      "root_config.json", "sync/config.json", "data_sources/mongodb-atlas/tracker/Task/schema.json",
    ] {
      let content = try FileSystem.contents(of: "\(PackageFolder.taskTracker)/\(file)")
      app.write(String(decoding: content, as: UTF8.self), to: file)
    }
    let harness = try Harness(app: app.path)
    #expect(
      try harness.openState().table(named: "Task")?.column(named: "assignee")?.schema.isIndexed == false
    )
    app.write(
      """
      {"enabled":true,"mongo_service_name":"mongodb-atlas","database_name":"tracker","collection_name":"Task",
      "user_id_field":"assignee"}
      """,
      to: "auth/custom_user_data.json"
    )
    try harness.restart()
    #expect(try harness.openState().table(named: "Task")?.column(named: "assignee")?.schema.isIndexed == true)
  }

  @Test("What the directory says of e-mail and other providers holds")
  func others() throws {
    write([
      "local-userpass": [
        "type": "local-userpass",
        "config": [
          "autoConfirm": false, "emailConfirmationUrl": "https://app.example.com/confirm",
          "confirmEmailSubject": "Welcome",
        ],
      ],
      "api-key": ["type": "api-key"], "anon-user": ["type": "anon-user", "disabled": true],
      "oauth2-apple": ["type": "oauth2-apple"],
    ])
    let harness = try Harness(app: folder.path)
    try harness.register("ann@example.com")
    let mail = try #require(try harness.mails(1).first)
    #expect(mail["subject"] == "Welcome" && mail["app_name"] == "Tracker")
    #expect(mail["url"]?.stringValue?.hasPrefix("https://app.example.com/confirm?token=") == true)
    for (provider, hint) in [("anon-user", "not enabled"), ("oauth2-apple", "does not support")] {
      let answer = try harness.request("POST", "\(Harness.providers)/\(provider)/login", body: .object([]))
      expectRefusal(answer, 404, "AuthProviderNotFound")
      #expect(answer.json?["error"]?.stringValue?.contains(hint) == true)
    }
    expectRefusal(
      try harness.request("POST", "\(Harness.providers)/api-key/login", body: ["key": "x"]),
      401,
      "AuthError"
    )
  }
}
