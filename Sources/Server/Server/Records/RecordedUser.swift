// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncServerStore
import FlexSyncServerSupport

/// A user whose records are wanted. There may be records of a user who has been deleted since.
public struct RecordedUser {
  public let id: String
  private let name: String
  private let appID: String
  private let exists: Bool

  /// - Parameter name: The identifier or e-mail address of the user.
  /// - Throws: `ServerError` if nobody has the address; `StorageError`. Changes nothing in the folder.
  public init(_ name: String, dataFolder: String, appID: String) throws {
    self.name = name
    self.appID = appID
    try DataFolder.checkExists(dataFolder)
    let store = try DataFolder.readOnlyStore(in: dataFolder, appID: appID)
    guard name.contains("@") else {
      id = name
      exists = try store?.user(id: name) != nil
      return
    }
    let subject = EmailAddress.normalized(name)
    let identity = try store?.identity(provider: Provider.emailPassword, subject: subject)
    guard let identity else { throw RecordedUser.unknown(name, appID) }
    guard let userID = identity.userID else {
      throw ServerError("nobody has logged in as \(name) yet, so there are no records")
    }
    (id, exists) = (userID, true)
  }

  /// - Throws: `ServerError` if the app does not have the user.
  public func checkExists() throws(ServerError) {
    guard exists else { throw RecordedUser.unknown(name, appID) }
  }

  private static func unknown(_ name: String, _ appID: String) -> ServerError {
    ServerError(
      "the app \(appID) has no user \"\(name)\", and there are no records of one; see flexsyncd users list"
    )
  }
}
