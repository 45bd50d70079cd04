// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Foundation

/// Steps of Tests/Conformance in the language of a peer.
extension PeerParticipant {
  func play(_ step: JSON) throws -> [String] {
    switch step["do"] {
    case "update": return [try update(step)]
    case "write":
      try write(step["changes"]?.arrayValue ?? [])
      return ["wrote"]
    case "sync":
      try synchronize()
      return ["in sync"]
    case "suspend":
      try suspend()
      return ["suspended"]
    case "resume":
      try resume()
      return ["resumed"]
    case "errors": return try revertedWrites(atLeast: Int(step["count"]?.integerValue ?? 0))
    default: throw InteropError("a peer does not know this step")
    }
  }

  private func update(_ step: JSON) throws -> String {
    for change in step["changes"]?.arrayValue ?? [] {
      guard let added = change["add"], let className = added["class"]?.stringValue else {
        throw InteropError("a peer can only add subscriptions")
      }
      let name = added["name"]?.stringValue ?? "all-\(className)"
      try command("sub \(name) \(className) \(added["query"]?.stringValue ?? "TRUEPREDICATE")")
    }
    let committed = try command("commit-subs").last
    if step["wait"] == false { return "committed version \(committed?["version"]?.integerValue ?? 0)" }
    let set = try command("wait-subs").last
    return "version \(set?["version"]?.integerValue ?? 0) \(set?["state"]?.stringValue?.lowercased() ?? "?")"
  }

  private func write(_ changes: [JSON]) throws {
    try begin()
    for change in changes { try apply(change) }
    try commit()
  }

  /// Waits until some more writes were reverted, and tells those that were, by text.
  private func revertedWrites(atLeast count: Int) throws -> [String] {
    var lines: [String] = []
    for _ in 0..<400 {
      lines = try command("errors").last?["errors"]?.arrayValue?.flatMap(describe) ?? []
      if lines.count >= toldErrorCount + count { break }
      Thread.sleep(forTimeInterval: 0.05)
    }
    defer { toldErrorCount = lines.count }
    return lines.dropFirst(toldErrorCount).sorted()
  }

  /// A compensating write leaves the session alone; anything else about an error is worth a line that nobody expects.
  private func describe(_ error: JSON) -> [String] {
    let writes = error["compensating_writes"]?.arrayValue ?? []
    guard error["code"] == "SyncCompensatingWrite", error["fatal"] == false, !writes.isEmpty else {
      return ["error \(error.serialized)"]
    }
    return writes.map { write in
      let text = { (member: String) in write[member]?.stringValue ?? "?" }
      // As clients of FlexSync tell it, without the type of the key.
      let reason = text("reason").replacing("ObjectID(\"", with: "\"").replacing("\")", with: "\"")
      return "reverted \(text("class")) \(text("pk")): \(reason)"
    }
  }
}
