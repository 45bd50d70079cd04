// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// The user data available to rules: `%%user` in expressions (app-directory, "Semantics").
package struct UserContext: Hashable, Sendable {
  /// One of the user's log-in identities.
  package struct Identity: Hashable, Sendable {
    package var id: String
    /// The type of the provider, such as `local-userpass`.
    package var providerType: String
    /// The data that the provider supplies about the user, an object.
    package var data: JSON

    package init(id: String, providerType: String, data: JSON) {
      self.id = id
      self.providerType = providerType
      self.data = data
    }
  }

  package var id: String
  /// `normal`, or `server` for the user of a server API key.
  package var type: String
  /// `%%user.data`: the data that the providers supply, an object.
  package var data: JSON
  /// `%%user.custom_data`: an object, empty if the user has none. Values without a JSON equivalent are Extended JSON;
  /// numbers are plain.
  package var customData: JSON
  package var identities: [Identity]

  package init(
    id: String,
    type: String = "normal",
    data: JSON = .object([]),
    customData: JSON = .object([]),
    identities: [Identity] = []
  ) {
    self.id = id
    self.type = type
    self.data = data
    self.customData = customData
    self.identities = identities
  }
}
