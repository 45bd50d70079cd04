// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncJSON
import FlexSyncServerStore

/// A summary of an app directory in the store. The server writes it whenever it has read the directory, for commands
/// that run without the directory, and to notice changes that concern clients.
package struct AppNote: Hashable, Sendable {
  package var name: String
  package var resetURL: String?
  package var resetSubject: String?
  package var customUserData: CustomUserDataConfiguration?
  package var schemaVersion: UInt64
  /// The providers that are enabled; nil if the server that wrote the note did not note them.
  package var providers: [String]?

  package init(_ app: AppConfiguration) {
    name = app.name
    resetURL = app.providers.emailPassword?.resetURL
    resetSubject = app.providers.emailPassword?.resetSubject
    customUserData = app.customUserData
    schemaVersion = app.sync.schemaVersion
    providers = Provider.all.filter(app.providers.isEnabled)
  }

  private static let setting = "app_note"

  /// Returns the note in a store; nil if no server has served the app yet.
  package static func read(_ store: ServerStore) throws -> AppNote? {
    try store.textSetting(setting).flatMap { AppNote(try JSON.parse($0)) }
  }

  /// Replaces the note in a store.
  package func write(to store: ServerStore) throws {
    guard try AppNote.read(store) != self else { return }
    try store.write { try store.set(AppNote.setting, to: json.serialized) }
  }

  /// The provider, as far as reset mails need it.
  package var emailPassword: EmailPasswordProvider {
    EmailPasswordProvider(resetURL: resetURL, resetSubject: resetSubject)
  }

  private init?(_ json: JSON) {
    guard let name = json["name"]?.stringValue else { return nil }
    self.name = name
    resetURL = json["reset_url"]?.stringValue
    resetSubject = json["reset_subject"]?.stringValue
    schemaVersion = json["schema_version"]?.stringValue.flatMap(UInt64.init) ?? 0
    providers = json["providers"]?.arrayValue?.compactMap(\.stringValue)
    guard let data = json["custom_user_data"], let collection = data["collection"]?.stringValue,
      let field = data["user_id_field"]?.stringValue
    else { return }
    customUserData = CustomUserDataConfiguration(
      collection: collection,
      userIDField: field,
      className: data["class"]?.stringValue
    )
  }

  private var json: JSON {
    func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
    let data = customUserData.map { data -> JSON in
      [
        "collection": .string(data.collection), "user_id_field": .string(data.userIDField),
        "class": text(data.className),
      ]
    }
    let providers = providers.map { JSON.array($0.map(JSON.string)) }
    return [
      "name": .string(name), "reset_url": text(resetURL), "reset_subject": text(resetSubject),
      "custom_user_data": data ?? .null, "schema_version": .string("\(schemaVersion)"),
      "providers": providers ?? .null,
    ]
  }
}
