// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// An app directory of a test that lets everybody do everything.
final class SmallApp {
  let folder = TemporaryFolder()
  var path: String { folder.path }

  /// - Parameters:
  ///   - sync: further members of `sync/config.json`.
  ///   - schemas: by collection; each the content of its `schema.json`.
  init(isDevelopmentMode: Bool = false, sync: String = "", schemas: [String: String] = [:]) {
    folder.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    folder.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    let more = sync.isEmpty ? "" : ",\(sync)"
    folder.write(
      #"{"type":"flexible","state":"enabled","development_mode_enabled":\#(isDevelopmentMode),"#
        + #""service_name":"s","database_name":"d"\#(more)}"#,
      to: "sync/config.json"
    )
    folder.write(
      #"""
      {"roles":[{"name":"everybody","apply_when":{},"document_filters":{"read":true,"write":true},
      "read":true,"write":true,"insert":true,"delete":true,"search":true}]}
      """#,
      to: "data_sources/s/default_rule.json"
    )
    for (collection, schema) in schemas {
      folder.write(schema, to: "data_sources/s/d/\(collection)/schema.json")
    }
  }

  func writeRelationships(_ text: String, of collection: String) {
    folder.write(text, to: "data_sources/s/d/\(collection)/relationships.json")
  }
}
