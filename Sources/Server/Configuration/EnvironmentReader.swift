// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules

/// Reads `environments/`, the values of `%%environment`.
struct EnvironmentReader {
  let reader: DirectoryReader

  private static let names = ["no-environment", "development", "testing", "qa", "production"]

  /// Returns an object with `tag` and `values`.
  ///
  /// - Parameter root: The content of `root_config.json`, which names the environment.
  func read(root: ConfigurationNode?) -> JSON {
    let tag = root?.string("environment") ?? ""
    let name = tag.isEmpty ? "no-environment" : tag
    guard EnvironmentReader.names.contains(name) else {
      root?.member("environment")?.error(
        "is \"\(tag)\"; it must be one of \(EnvironmentReader.names.dropFirst().joined(separator: ", ")) or \"\""
      )
      return ["tag": .string(tag), "values": .object([])]
    }
    let values = reader.json("environments/\(name).json")?.member("values")
    if let values, values.value.objectValue == nil { values.error("must be an object") }
    return ["tag": .string(tag), "values": values?.value ?? .object([])]
  }
}

/// Reads `values/`, the values of `%%values`.
struct ValueReader {
  let reader: DirectoryReader
  let secrets: SecretReader

  /// Returns an object that maps each name to its value.
  func read() -> JSON {
    var members: [JSON.Member] = []
    for name in reader.files("values") {
      guard let node = reader.json("values/\(name).json") else { continue }
      guard node.value.objectValue != nil else {
        node.error("must be an object with name and value")
        continue
      }
      let valueName = node.string("name") ?? name
      guard !members.contains(where: { $0.name == valueName }) else {
        node.member("name")?.error("another value is also named \"\(valueName)\"")
        continue
      }
      guard let value = value(node) else { continue }
      members.append(JSON.Member(valueName, value))
    }
    return .object(members)
  }

  private func value(_ node: ConfigurationNode) -> JSON? {
    guard let value = node.member("value") else { return node.reject("value is missing") }
    guard node.bool("from_secret", default: false) else { return value.value }
    guard let name = value.value.stringValue else { return value.reject("must be the name of a secret") }
    guard let secret = secrets.secret(named: name, at: value) else {
      value.warning(
        "the secret \"\(name)\" is missing (exports contain no secrets), so "
          + "%%values.\(node.string("name") ?? "") has no value; "
          + SecretReader.advice(name)
      )
      return nil
    }
    return .string(secret)
  }
}

/// Finds secrets. Exports do not contain them, so the operator adds them to `secrets.json`, or each as a separate
/// file in `secrets/`.
struct SecretReader {
  private let reader: DirectoryReader
  private let file: ConfigurationNode?

  private static let fileName = "secrets.json"

  init(reader: DirectoryReader) {
    self.reader = reader
    file = reader.json(SecretReader.fileName)
    if let file, file.value.objectValue == nil {
      file.error("must be an object that maps the name of each secret to its text")
    }
  }

  static func advice(_ name: String) -> String {
    "write it to secrets.json as {\"\(name)\": \"…\"}, or to secrets/\(name), readable only by the server"
  }

  /// Returns the text of a secret; nil if it is missing.
  func secret(named name: String, at node: ConfigurationNode) -> String? {
    if let text = file?.string(name) { return text }
    guard FileName.isPlain(name) else { return node.reject("\"\(name)\" is not a valid name for a secret") }
    guard let text = reader.text("secrets/\(name)") else { return nil }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
