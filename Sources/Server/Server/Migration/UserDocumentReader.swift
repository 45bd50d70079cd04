// SPDX-License-Identifier: Apache-2.0

import FlexSyncDocuments
import FlexSyncJSON

/// Reads users in the form in which the App Services Admin API lists them (`GET …/apps/<id>/users`).
enum UserDocumentReader {
  /// Calls `body` for each user of a file.
  ///
  /// - Throws: `DocumentError` if the file consists of neither lines nor an array of documents; also rethrows what
  ///   `body` throws.
  static func forEach(in file: DocumentFile, _ body: (UserEntry) throws -> Void) throws {
    try file.forEachEntry { entry in
      let user = entry.json.flatMap { json in Result { () throws(DocumentError) in try read(json) } }
      try body(UserEntry(place: entry.place, content: entry.text, user: user))
    }
  }

  static func read(_ json: JSON) throws(DocumentError) -> MigratedUser {
    guard json.objectValue != nil else { throw DocumentError(description: "not a JSON object") }
    let id = json["_id"]?.stringValue ?? json["_id"]?["$oid"]?.stringValue
    guard let id else { throw DocumentError(description: "_id is missing; it must be the user's identifier") }
    guard MigratedUser.isValidID(id) else {
      throw DocumentError(description: "_id \"\(id.prefix(80))\" is not a valid user identifier")
    }
    return MigratedUser(
      id: id,
      isServer: try type(json) == "server",
      isDisabled: try flag("disabled", of: json),
      created: try time("creation_date", of: json),
      lastLogin: try time("last_authentication_date", of: json),
      identities: try identities(json)
    )
  }

  private static func type(_ json: JSON) throws(DocumentError) -> String {
    guard let member = json["type"], member != .null else { return "normal" }
    guard let type = member.stringValue, ["normal", "server"].contains(type) else {
      throw DocumentError(description: "type is \(member.serialized); it must be \"normal\" or \"server\"")
    }
    return type
  }

  private static func flag(_ name: String, of json: JSON) throws(DocumentError) -> Bool {
    guard let member = json[name], member != .null else { return false }
    guard let value = member.boolValue else {
      throw DocumentError(description: "\(name) is \(member.serialized); write true or false")
    }
    return value
  }

  /// Returns seconds since 1970, given as a number or a date.
  private static func time(_ name: String, of json: JSON) throws(DocumentError) -> Int64? {
    guard let member = json[name], member != .null else { return nil }
    if let date = ExtendedJSON.value(member, as: .timestamp), case .timestamp(let time) = date {
      return time.seconds
    }
    if let text = member.stringValue, let time = ISODate.parse(text) { return time.seconds }
    if let seconds = ExtendedJSON.double(member), let whole = Int64(exactly: seconds.rounded(.down)) {
      return whole
    }
    throw DocumentError(description: "\(name) is \(member.serialized); write seconds since 1970, or a date")
  }

  private static func identities(_ json: JSON) throws(DocumentError) -> [MigratedUser.Identity] {
    guard let member = json["identities"] else {
      throw DocumentError(description: "identities is missing; is this a list of users from the Admin API?")
    }
    guard member != .null else { return [] }
    guard let elements = member.arrayValue else {
      throw DocumentError(description: "identities is \(member.serialized.prefix(60)), which is not a list")
    }
    var identities: [MigratedUser.Identity] = []
    for element in elements {
      // With several providers, their data are merged in the data of the user.
      let shared = elements.count == 1 ? json["data"] : nil
      let data = object(element["data"]) ?? object(element["provider_data"]) ?? object(shared) ?? .object([])
      guard let provider = element["provider_type"]?.stringValue else {
        throw DocumentError(description: "an identity has no provider_type")
      }
      identities.append(
        try MigratedUser.Identity(
          provider: provider,
          id: element["id"]?.stringValue ?? element["id"]?["$oid"]?.stringValue,
          email: data["email"]?.stringValue ?? json["data"]?["email"]?.stringValue,
          data: data
        )
      )
    }
    return identities
  }

  private static func object(_ json: JSON?) -> JSON? {
    json.flatMap { $0.objectValue == nil ? nil : $0 }
  }
}
