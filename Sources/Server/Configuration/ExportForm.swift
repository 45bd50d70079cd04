// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// Checks whether a directory has the layout of exports since 2021, and whether its files have the names the server
/// reads.
struct ExportForm {
  let reader: DirectoryReader

  private static let firstVersion: Int64 = 20_210_101

  // MARK: Older exports

  /// Reports an export from before 2021, which used a different file layout.
  ///
  /// - Parameter root: The content of the root file.
  /// - Returns: Whether the directory is such an export.
  func reportOlder(_ root: ConfigurationNode?) -> Bool {
    let version = root?.value["config_version"]?.integerValue
    let folders = ["services", "auth_providers"].filter { !reader.entries($0).isEmpty }
    let hasOlderFolders =
      !folders.isEmpty && reader.directories("data_sources").isEmpty && !reader.has("auth/providers.json")
    guard hasOlderFolders || version.map({ $0 < ExportForm.firstVersion }) == true else { return false }
    let sign = version.map { "config_version is \($0)" } ?? "it has \(folders.joined(separator: " and "))"
    reader.problems.error(
      root?.file ?? ".",
      "this export dates from 2018 to 2021 (\(sign)), before Flexible Sync, when files had other names. Export "
        + "the app again with `appservices pull --remote=<app id>`. If that is no longer possible, move "
        + "auth_providers/*.json into a single auth/providers.json, services/<name>/rules/<db>.<collection>.json "
        + "to data_sources/<name>/<db>/<collection>/rules.json and schema.json, write a sync/config.json for "
        + "Flexible Sync, and set config_version to \(ExportForm.firstVersion)"
    )
    return true
  }

  // MARK: Names

  private static let root = ["root_config.json", "realm_config.json", "config.json", "secrets.json"]
  private static let collection = ["schema.json", "rules.json", "relationships.json"]

  /// Warns of files that are not read but whose names closely resemble those that are.
  func warnOfMisspelledNames(_ sync: SyncConfiguration?) {
    warn(in: "", known: ExportForm.root)
    warn(in: "auth", known: ["providers.json", "custom_user_data.json", "jwks.json"])
    warn(in: "sync", known: ["config.json"])
    guard let sync else { return }
    warn(in: sync.folder, known: ["config.json", "default_rule.json"])
    for collection in sync.collections(reader) { warn(in: collection.path, known: ExportForm.collection) }
  }

  private func warn(in folder: String, known: [String]) {
    for name in reader.entries(folder.isEmpty ? "." : folder) where !known.contains(name) {
      guard let meant = known.first(where: { Spelling.isNear(name, $0) }) else { continue }
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      reader.problems.warning(path, "is not read; if you mean \"\(meant)\", rename it")
    }
  }
}
