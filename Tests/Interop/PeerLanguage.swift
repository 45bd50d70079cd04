// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// Changes in the words of a peer.
enum PeerLanguage {
  /// A command for a change. Those of `Task` and `Team` have commands of their own; others are given as they are.
  static func command(for change: JSON) -> String {
    if let command = change["create"].flatMap({ put($0, change) }) { return command }
    if let command = change["set"].flatMap({ put($0, change) }) { return command }
    if let className = change["delete"]?.stringValue { return "del \(className) \(text(change, "id"))" }
    guard change["class"] == "Team" else { return "change \(change.serialized)" }
    let place = { (property: JSON) in "Team \(text(change, "id")) \(property.stringValue ?? "")" }
    let index = change["index"]?.integerValue ?? 0
    let value = change["value"]?.serialized ?? ""
    if let property = change["insert"] { return "list-insert \(place(property)) \(index) \(value)" }
    if let property = change["replace"] { return "list-set \(place(property)) \(index) \(value)" }
    if let property = change["erase"] { return "list-erase \(place(property)) \(index)" }
    if let property = change["move"] {
      return "list-move \(place(property)) \(index) \(change["to"]?.integerValue ?? 0)"
    }
    return "list-clear \(place(change["clear"] ?? .null))"
  }

  private static func put(_ className: JSON, _ change: JSON) -> String? {
    guard className == "Task" || className == "Team" else { return nil }
    let values = (change["values"]?.objectValue ?? []).map { member in
      guard member.name == "dueDate", let seconds = member.value.integerValue else { return member }
      return JSON.Member(member.name, .integer(seconds * 1000))
    }
    return "put \(className.stringValue ?? "") \(text(change, "id")) \(JSON.object(values).serialized)"
  }

  private static func text(_ change: JSON, _ member: String) -> String { change[member]?.stringValue ?? "" }
}
