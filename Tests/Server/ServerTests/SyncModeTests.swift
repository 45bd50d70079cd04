// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import FlexSyncTransport
import FlexSyncWire
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules

@Suite("Flexible Sync is the only mode of sync")
struct SyncModeTests {
  // Feature 1, 7
  @Test(
    "A client of partition-based sync is told, in its own protocol, what to switch to",
    arguments: ["#", "/"]
  )
  func client(separator: String) throws {
    let harness = try Harness()
    let connection = WireConnection()
    var subprotocol: String?
    WebSocketClient(loop: harness.loop).connect(
      try harness.webSocketURL(token: try harness.logIn().access),
      protocols: ["com.mongodb.realm-sync\(separator)14", "com.mongodb.realm-sync\(separator)13"]
    ) { outcome in
      guard case .connected(let socket) = outcome else { return }
      subprotocol = socket.subprotocol
      connection.use(socket)
    }
    try harness.run(until: { connection.isClosed }, "end")
    #expect(subprotocol == "com.mongodb.realm-sync\(separator)14")
    let error = try #require(connection.errors.first)
    #expect(connection.received.count == 1)
    #expect(error.code == .switchToFlexibleSync && error.session == 0)
    #expect(error.info.action == .applicationBug && !error.info.tryAgain)
    #expect(error.info.message.contains("open the realm with a Flexible Sync configuration"))
  }

  // Feature 7
  @Test("An app directory of a partition-based app is refused with its place")
  func directory() {
    let app = TemporaryFolder()
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
          && $0.message == "is \"partition\"; this server supports only \"flexible\" sync"
      } == true
    )
  }
}
