// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncDocuments
import FlexSyncJSON

/// A user of another server, whose identifier is kept so that rules that name it remain valid and the SDKs on the
/// user's devices open the same files.
struct MigratedUser: Hashable {
  /// One identity of the user on the other server.
  package struct Identity: Hashable {
    /// The type of the provider, such as `local-userpass`.
    var provider: String
    /// The user's name at the provider: the e-mail address, or the `sub` of tokens.
    var subject: String
    /// The identifier sent to clients.
    var id: String
    /// The data that the provider supplies about the user, an object.
    var data: JSON
  }

  var id: String
  var isServer = false
  var isDisabled = false
  /// Seconds since 1970; nil if the file does not contain it.
  var created: Int64?
  var lastLogin: Int64?
  var identities: [Identity]

  /// Returns whether an identifier is valid. It becomes part of paths on devices.
  static func isValidID(_ text: String) -> Bool { PathName.isValid(text, maximumByteCount: 64) }
}

/// An entry of a file of users: a document, or the lines of a table that belong to one user.
struct UserEntry {
  let place: String
  /// The entry as it appears in the file.
  let content: String
  let user: Result<MigratedUser, DocumentError>
}

extension MigratedUser.Identity {
  /// - Parameters:
  ///   - id: The identifier of the identity on the other server; for tokens, their `sub`.
  ///   - email: The e-mail address, for `local-userpass`.
  /// - Throws: `DocumentError` that states what is missing.
  init(provider: String, id: String?, email: String?, data: JSON) throws(DocumentError) {
    guard ProviderReader.types.contains(provider) else {
      throw DocumentError(
        description: "the provider \"\(provider)\" is unknown; it must be one of "
          + ProviderReader.types.joined(separator: ", ")
      )
    }
    self.provider = provider
    self.data = data
    guard provider == Provider.emailPassword else {
      guard let id, !id.isEmpty, id.utf8.count <= CustomTokenVerifier.maximumSubjectByteCount else {
        throw DocumentError(
          description: "the \(provider) identity has no id; add the provider's identifier of the user"
        )
      }
      (self.id, subject) = (id, id)
      return
    }
    guard let email, !email.isEmpty else {
      throw DocumentError(description: "the \(provider) identity has no e-mail address; add data.email")
    }
    do {
      subject = try EmailAddress.checked(email)
    } catch {
      throw DocumentError(description: "\(error.message); correct it, or remove the identity")
    }
    self.id = id.flatMap { $0.isEmpty ? nil : $0 } ?? Identifiers.make()
  }
}
