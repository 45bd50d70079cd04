// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// The users stored on this device, and which of them is the current one.
struct KnownUsers: Sendable, Equatable {
  /// In the order of their first login.
  private(set) var records: [UserRecord] = []
  private(set) var currentID: String?

  subscript(id: String) -> UserRecord? { records.first { $0.id == id } }

  /// The user who last logged in or was switched to.
  var current: UserRecord? { currentID.flatMap { self[$0] } }

  /// Records a login and makes the user the current one.
  mutating func logIn(_ record: UserRecord) {
    if let index = records.firstIndex(where: { $0.id == record.id }) {
      records[index] = record
    } else {
      records.append(record)
    }
    currentID = record.id
  }

  /// Forgets the tokens and custom data. If the user was the current one, another logged-in user takes its place.
  mutating func logOut(_ id: String) {
    guard let index = records.firstIndex(where: { $0.id == id }) else { return }
    records[index].tokens = nil
    records[index].customData = nil
    replaceCurrent(id)
  }

  /// Changes the record of a user; does nothing if there is none.
  mutating func update(_ id: String, _ change: (inout UserRecord) -> Void) {
    guard let index = records.firstIndex(where: { $0.id == id }) else { return }
    change(&records[index])
  }

  /// Forgets the user.
  mutating func remove(_ id: String) {
    records.removeAll { $0.id == id }
    replaceCurrent(id)
  }

  /// Makes a logged-in user the current one.
  mutating func switchTo(_ id: String) { currentID = id }

  private mutating func replaceCurrent(_ id: String) {
    if currentID == id { currentID = records.first { $0.tokens != nil }?.id }
  }
}

extension KnownUsers {
  private static let version: Int64 = 1

  var json: JSON {
    [
      "version": .integer(Self.version),
      "current": currentID.map { .string($0) } ?? .null,
      "users": .array(records.map(\.json)),
    ]
  }

  /// Reads JSON written by `json`; nil for anything else.
  init?(_ json: JSON) {
    guard json["version"]?.integerValue == Self.version, let users = json["users"]?.arrayValue else {
      return nil
    }
    for user in users {
      guard let record = UserRecord(user) else { return nil }
      records.append(record)
    }
    currentID = json["current"]?.stringValue
  }
}
