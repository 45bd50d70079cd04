// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An app directory that a test writes, with anonymous users.
package final class WrittenApp {
  private let folder: TemporaryFolder
  package var path: String { folder.file("app").path }

  /// - Parameters:
  ///   - sync: further members of `sync/config.json`, such as the queryable fields.
  ///   - role: the role of everybody.
  ///   - schemas: by collection; each the content of its `schema.json`.
  package init(isEnabled: Bool = true, sync: String = "", role: String, schemas: [String: String]) throws {
    folder = try TemporaryFolder()
    try write(#"{"app_id":"\#(TestServer.appID)"}"#, to: "root_config.json")
    try write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    let state = isEnabled ? "enabled" : "disabled"
    let more = sync.isEmpty ? "" : ",\(sync)"
    try write(
      #"{"type":"flexible","state":"\#(state)","service_name":"s","database_name":"d"\#(more)}"#,
      to: "sync/config.json"
    )
    try write(#"{"roles":[\#(role)]}"#, to: "data_sources/s/default_rule.json")
    for (collection, schema) in schemas {
      try write(schema, to: "data_sources/s/d/\(collection)/schema.json")
    }
  }

  /// Lets everybody do everything.
  package static let openRole = #"""
    {"name":"everybody","apply_when":{},"document_filters":{"read":true,"write":true},"read":true,"write":true}
    """#

  private func write(_ content: String, to name: String) throws {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(content.utf8).write(to: file)
  }
}
