// SPDX-License-Identifier: Apache-2.0

import FlexSyncProtocol
import FlexSyncTransport
import Testing

@testable import FlexSyncServer

@Suite("Flexible Sync is the only mode of sync (features rows 1 and 7)")
struct SyncModeTests {
  @Test("A client that offers partition-based sync is refused with a word on what to do")
  func client() throws {
    let harness = try Harness()
    var outcome: WebSocketClient.Outcome?
    WebSocketClient(loop: harness.loop).connect(
      try harness.webSocketURL(token: try harness.logIn().access),
      protocols: ["com.mongodb.realm-sync#14", "com.mongodb.realm-sync#13"]
    ) { outcome = $0 }
    try harness.run(until: { outcome != nil }, "answer")
    guard case .refused(let response) = outcome else {
      Issue.record("not refused: \(String(describing: outcome))")
      return
    }
    #expect(response.status == 400)
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(
      text.contains(
        "the client offers partition-based sync only; open the realm with a Flexible Sync configuration"
      )
    )
  }

  @Test("An app directory of a partition-based app is refused with its place")
  func directory() {
    let app = TemporaryDirectory()
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(
      #"{"type":"partition","state":"enabled","service_name":"s","database_name":"d","partition":{"key":"_p"}}"#,
      to: "sync/config.json"
    )
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(app.path) }
    #expect(
      error?.problems.contains {
        $0.file == "sync/config.json" && $0.key == "type"
          && $0.message == "is \"partition\"; only \"flexible\" sync is served"
      } == true
    )
  }
}
