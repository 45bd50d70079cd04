// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("Client files that a user asks for")
struct ClientFileTests {
  private func harness(filesPerUser: Int) throws -> Harness {
    try Harness { $0.limits.filesPerUser = filesPerUser }
  }

  private func client(_ harness: Harness, _ tokens: Harness.Tokens) throws -> SyncClient {
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    return client
  }

  /// Asks for a file and goes away.
  private func takeIdent(_ connection: WireConnection, _ session: UInt64, _ harness: Harness) throws
    -> SaltedFileIdent
  {
    connection.send(.bind(BindMessage(session: session, options: BindOptions(), needsFileIdent: true)))
    let isNamed = { connection.received.contains { if case .ident(session, _) = $0 { true } else { false } } }
    try harness.run(until: isNamed, "ident")
    connection.send(.unbind(session))
    return try #require(connection.idents.last)
  }

  private func fileCount(_ harness: Harness, _ userID: String) throws -> Int64 {
    try harness.engine().store.database.withStatement("SELECT count(*) FROM flx_files WHERE user_id = ?1") {
      $0.bind(userID, at: 1)
      return try $0.step() ? $0.int(0) : 0
    }
  }

  @Test("Asking for files in a loop leaves a limited number, and displaces only what the loop has made")
  func loop() throws {
    let harness = try harness(filesPerUser: 5)
    let tokens = try harness.logIn()
    let connected = try client(harness, tokens)
    let away = try client(harness, tokens)
    away.disconnect()
    let other = try client(harness, try harness.logIn())
    other.disconnect()
    let connection = try harness.connect(tokens)
    var idents: [SaltedFileIdent] = []
    for session in 1...60 as ClosedRange<UInt64> {
      idents.append(try takeIdent(connection, session, harness))
    }
    #expect(try fileCount(harness, tokens.userID) == 5)
    #expect(Set(idents.map(\.ident)).count == 60)
    for client in [connected, away, other] {
      if !client.isConnected { try client.connect() }
      try client.synchronize()
      #expect(client.failures.isEmpty)
    }
    // The newest idents are honoured; a forgotten one is told to start over.
    connection.send(.bind(BindMessage(session: 100, options: BindOptions(), needsFileIdent: false)))
    connection.send(.ident(.resuming(try #require(idents.last), in: 100)))
    try harness.run(until: { connection.downloads.contains { $0.session == 100 } }, "download")
    connection.send(.bind(BindMessage(session: 101, options: BindOptions(), needsFileIdent: false)))
    connection.send(.ident(.resuming(idents[0], in: 101)))
    try harness.run(until: { !connection.errors(of: 101).isEmpty }, "error")
    let error = try #require(connection.errors(of: 101).first)
    #expect(error.code == .badClientFileIdent && error.info.action == .clientReset)
  }

  @Test("Of used files, the one that was seen the longest ago is forgotten")
  func usedFiles() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock) { $0.limits.filesPerUser = 3 }
    let tokens = try harness.logIn()
    var clients: [SyncClient] = []
    for _ in 1...4 {
      let client = try client(harness, tokens)
      client.disconnect()
      try harness.run(until: { try harness.engine().sessionCount == 0 }, "end of the session")
      time.advance(seconds: 10)
      clients.append(client)
    }
    #expect(try fileCount(harness, tokens.userID) == 3)
    for client in clients.reversed() { try client.connect() }
    #expect(clients.map { $0.failures.map(\.code) } == [[.badClientFileIdent], [], [], []])
  }

  @Test("While all files of a user are connected, a new one has to wait")
  func allConnected() throws {
    let harness = try harness(filesPerUser: 2)
    let tokens = try harness.logIn()
    let clients = [try client(harness, tokens), try client(harness, tokens)]
    let connection = try harness.connect(tokens)
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.errors.isEmpty }, "error")
    let error = try #require(connection.errors.first)
    #expect(
      error.info.message.hasPrefix("LimitsExceeded: the user has the maximum number of client files")
        && error.info.tryAgain
    )
    for client in clients {
      try client.synchronize()
      #expect(client.failures.isEmpty)
    }
  }
}
