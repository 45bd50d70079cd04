// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Foundation

/// Takes users and objects from one server to another, as an operator does.
final class Move {
  /// The folders of the old server with its devices, and of the new one.
  let old: String
  let new: String
  private let server: String
  private let app: String
  /// What a database would export, a line an object, by class.
  private var documents: [String: [String]] = [:]

  init(_ options: Options, from old: String, to new: String) {
    server = options.server
    app = options.app
    self.old = old
    self.new = new
  }

  func identifier(of email: String) throws -> String {
    try user(email)["id"]?.stringValue ?? ""
  }

  private func user(_ name: String) throws -> JSON {
    try JSON.parse(run("users", "show", name, "--data", "\(old)/server", "--json"))
  }

  // MARK: Exporting

  func export(_ objects: [(className: String, object: JSON)]) {
    for (className, object) in objects {
      documents[className, default: []].append(extended(object, of: className).serialized)
    }
  }

  private func extended(_ object: JSON, of className: String) -> JSON {
    let members = (object.objectValue ?? []).filter { $0.name != "class" }.map { member in
      switch member.name {
      case "_id": JSON.Member("_id", ["$oid": member.value])
      case "tasks": JSON.Member("tasks", .array((member.value.arrayValue ?? []).map { ["$oid": $0] }))
      case "dueDate":
        JSON.Member("dueDate", ["$date": ["$numberLong": .string(member.value.serialized)]])
      default: member
      }
    }
    return .object(members)
  }

  /// Writes the users as the Admin API of App Services lists them.
  func exportUsers() throws {
    let all = try JSON.parse(run("users", "list", "--data", "\(old)/server", "--json")).arrayValue ?? []
    let lines = try all.map { try listed(user($0["id"]?.stringValue ?? "")).serialized }
    try write(lines, to: "users.jsonl")
  }

  private func listed(_ user: JSON) -> JSON {
    let identities = (user["identities"]?.arrayValue ?? []).map { identity -> JSON in
      [
        "id": identity["id"] ?? .null, "provider_type": identity["provider"] ?? .null,
        "provider_id": "5f00000000000000000000aa",
      ]
    }
    return [
      "_id": user["id"] ?? .null, "type": user["type"] ?? .null,
      "disabled": .bool(user["state"] == "disabled"),
      "creation_date": user["created"] ?? .null, "last_authentication_date": user["last_login"] ?? .null,
      "data": user["data"] ?? .null, "identities": .array(identities),
    ]
  }

  // MARK: Taking over

  func migrateAndImport() throws {
    try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: true)
    let place = ["--app", app, "--data", "\(new)/server"]
    try run(
      ["migrate"] + place + ["--users", "\(old)/users.jsonl", "--first-password-until", "2999-01-01"]
    )
    for (className, lines) in documents.sorted(by: { $0.key < $1.key }) {
      try write(lines, to: "\(className).json")
      try run(["import"] + place + ["--collection", className, "\(old)/\(className).json"])
    }
  }

  /// Copies a device of the old server, and the data of the new one, to a folder.
  func copy(device: String, to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: "\(new)/server", toPath: "\(folder)/server")
    try FileManager.default.copyItem(atPath: "\(old)/\(device)", toPath: "\(folder)/\(device)")
  }

  private func write(_ lines: [String], to file: String) throws {
    let text = lines.map { $0 + "\n" }.joined()
    try text.write(toFile: "\(old)/\(file)", atomically: false, encoding: .utf8)
  }

  @discardableResult
  private func run(_ arguments: String...) throws -> String { try run(arguments) }

  @discardableResult
  private func run(_ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    let log = try FileHandle(appendingTo: "\(old)/commands.log")
    process.executableURL = URL(fileURLWithPath: server)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = log
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw InteropError("flexsyncd \(arguments.joined(separator: " ")) failed, see \(old)/commands.log")
    }
    return String(decoding: text, as: UTF8.self)
  }
}
