// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// Warns of what an app directory contains and the server does not carry over.
struct UnusedParts {
  let reader: DirectoryReader

  func warn(service: String?, database: String?) {
    let folders = [
      "functions", "triggers", "http_endpoints", "https_endpoints", "graphql", "hosting", "log_forwarders",
      "services",
    ]
    for folder in folders where hasContent(folder) {
      reader.problems.warning(folder, nil, "not carried over")
    }
    if let data = reader.json("auth/custom_user_data.json"), data.bool("enabled", default: false) {
      data.warning("custom user data is not carried over")
    }
    if let service { warnOfRules(service: service, database: database) }
  }

  private func hasContent(_ folder: String) -> Bool {
    reader.entries(folder).contains { $0.hasSuffix(".js") || $0.hasSuffix(".json") && $0 != "config.json" }
      || !reader.directories(folder).isEmpty
  }

  private func warnOfRules(service: String, database: String?) {
    let folder = "data_sources/\(service)"
    warnOfRules(in: "\(folder)/default_rule.json")
    guard let database else { return }
    for collection in reader.directories("\(folder)/\(database)") {
      warnOfRules(in: "\(folder)/\(database)/\(collection)/rules.json")
    }
  }

  private func warnOfRules(in file: String) {
    guard let node = reader.json(file), let roles = node.member("roles") else { return }
    let restricting = (roles.value.arrayValue ?? []).filter { !grantsEverything($0) }
    guard !restricting.isEmpty else { return }
    let names = restricting.map { "\"\($0["name"]?.stringValue ?? "?")\"" }.joined(separator: ", ")
    roles.warning(
      "RULES ARE NOT ENFORCED YET: every user may read and write everything, whatever role \(names) says"
    )
  }

  private func grantsEverything(_ role: JSON) -> Bool {
    let filters = role["document_filters"]
    let places = [filters?["read"], filters?["write"], role["read"], role["write"]]
    return (role["apply_when"] ?? .object([])) == .object([])
      && places.allSatisfy { $0 == nil || $0 == .bool(true) }
  }
}
