// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Testing

@testable import FlexSyncServer
@testable import FlexSyncServerSupport

/// An app with every provider, a server for it, and files of users that come from another server.
final class MigrationApp {
  static let annID = "5f8b1c2d3e4f5a6b7c8d9e0f"
  static let tokenID = "5f8b1c2d3e4f5a6b7c8d9e10"
  static let anonymousID = "5f8b1c2d3e4f5a6b7c8d9e11"

  let app = SmallApp(schemas: [
    "Note":
      #"{"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"}}}"#
  ])
  let harness: Harness
  let time = AdjustableTime()

  init(resetURL: String = "https://tasks.example.com/reset") throws {
    app.folder.write(
      """
      {"anon-user":{"type":"anon-user"},"api-key":{"type":"api-key"},
       "local-userpass":{"type":"local-userpass","config":{"autoConfirm":true,"resetPasswordUrl":"\(resetURL)"}},
       "custom-token":{"type":"custom-token","config":{"signingAlgorithm":"HS256"},
         "secret_config":{"signingKeys":["signing"]}}}
      """,
      to: "auth/providers.json"
    )
    app.folder.write(#"{"signing":"\#(CustomTokens.secret)"}"#, to: "secrets.json")
    harness = try Harness(app: app.path, clock: time.clock)
  }

  var dataFolder: String { "\(harness.folder.path)/data" }

  /// A user as the Admin API lists it.
  static func user(_ id: String, _ identities: String, more: String = "") -> String {
    #"{"_id":"\#(id)","type":"normal","disabled":false,"creation_date":1615321455,"#
      + #""last_authentication_date":1625321455,"data":{},"identities":[\#(identities)]\#(more)}"#
  }

  static func email(_ address: String) -> String {
    #"{"id":"5f8b1c2d3e4f5a6b7c8d9eff","provider_type":"local-userpass","provider_id":"5f00000000000000000000aa","#
      + #""data":{"email":"\#(address)"}}"#
  }

  static func token(_ subject: String = CustomTokens.subject) -> String {
    #"{"id":"\#(subject)","provider_type":"custom-token","provider_id":"5f00000000000000000000ab","#
      + #""provider_data":{"name":"Jean"}}"#
  }

  static let anonymous =
    #"{"id":"5f8b1c2d-anonymous","provider_type":"anon-user","provider_id":"5f00000000000000000000ac","data":{}}"#

  /// One user of each kind.
  static let users = [
    user(annID, email("Ann@Example.com")), user(tokenID, token()), user(anonymousID, anonymous),
  ].joined(separator: "\n")

  /// A file with a text, and its path.
  func file(_ name: String, _ text: String) -> String {
    harness.folder.write(text, to: name)
    return "\(harness.folder.path)/\(name)"
  }

  func migration(_ options: MigrationOptions = MigrationOptions(), isDryRun: Bool = false) throws
    -> UserMigration
  {
    try UserMigration(
      appDirectory: app.path,
      dataFolder: dataFolder,
      options: options,
      isDryRun: isDryRun,
      clock: time.clock
    )
  }

  @discardableResult
  func migrate(
    _ users: String = MigrationApp.users,
    format: UserMigration.Format = .documents,
    options: MigrationOptions = MigrationOptions(),
    isDryRun: Bool = false,
    skipFile: String? = nil
  ) throws -> MigrationSummary {
    let file = file("users.json", users)
    return try migration(options, isDryRun: isDryRun).run(users: file, format: format, skipFile: skipFile)
  }

  /// Everything that is known of all users.
  func state() throws -> [JSON] {
    let administration = try harness.administration()
    return try administration.users().map { try administration.show($0.id ?? $0.email ?? "").json }
  }

  static func text(of file: String) throws -> String {
    String(decoding: try FileSystem.contents(of: file), as: UTF8.self)
  }
}
