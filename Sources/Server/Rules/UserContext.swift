// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// The user data available to rules: `%%user` in expressions (app-directory, "Semantics").
package struct UserContext: Hashable, Sendable {
  package var id: String
  /// `normal`, or `server` for the user of a server API key.
  package var type: String
  /// `%%user.data`: the data that the providers supply, an object.
  package var data: JSON
  /// `%%user.custom_data`: an object, empty if the user has none. Values without a JSON equivalent are Extended JSON;
  /// numbers are plain.
  package var customData: JSON
  /// `%%user.identities`: an object for each of the user's log-in identities.
  package var identities: [JSON]

  package init(
    id: String,
    type: String = "normal",
    data: JSON = .object([]),
    customData: JSON = .object([]),
    identities: [JSON] = []
  ) {
    self.id = id
    self.type = type
    self.data = data
    self.customData = customData
    self.identities = identities
  }
}
