// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The example app with all ways to log in that the server has, and with custom user data.
final class AccountsApp {
  private let folder: TemporaryFolder

  var path: String { folder.file("app").path }

  /// Of the user "carol", named "Carol", until the year 2100; signed with the key below.
  static let token =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJ0YXNrdHJhY2tlci1hYmNkZSIsInN1YiI6ImNhcm9sIiwiZXhwIjo0MTAyND"
    + "Q0ODAwLCJuYW1lIjoiQ2Fyb2wifQ.zaPDoSDYSMGP4B_RPeuPBe5LM_m4pMCQzCeTfcyVi90"

  /// - Parameters:
  ///   - confirmsAutomatically: whether new accounts with an email address need no confirmation.
  ///   - rules: what `default_rule.json` says; nil for what it says in the example, which lets everybody do everything.
  init(confirmsAutomatically: Bool = true, rules: String? = nil) throws {
    folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: "Examples/TaskTracker", toPath: path)
    try write(
      "auth/providers.json",
      """
      {"anon-user": {"name": "anon-user", "type": "anon-user", "disabled": false},
       "local-userpass": {"name": "local-userpass", "type": "local-userpass", "disabled": false,
         "config": {"autoConfirm": \(confirmsAutomatically)}},
       "api-key": {"name": "api-key", "type": "api-key", "disabled": false},
       "custom-token": {"name": "custom-token", "type": "custom-token", "disabled": false,
         "config": {"signingAlgorithm": "HS256"}, "secret_config": {"signingKeys": ["token_key"]},
         "metadata_fields": [{"name": "name", "required": true}]}}
      """
    )
    try write("secrets.json", #"{"token_key": "a signing key of the conformance scenarios"}"#)
    try write(
      "auth/custom_user_data.json",
      """
      {"enabled": true, "mongo_service_name": "mongodb-atlas", "database_name": "tracker",
       "collection_name": "UserData", "user_id_field": "userId"}
      """
    )
    if let rules { try write("data_sources/mongodb-atlas/default_rule.json", rules) }
  }

  private func write(_ name: String, _ content: String) throws {
    try content.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
  }
}
