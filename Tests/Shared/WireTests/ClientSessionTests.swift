// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore
@testable import FlexSyncWire

/// The rules of protocol §3 to §5 for clients, one by one.
@Suite("Client session")
struct ClientSessionTests {
  /// A new file with one local change and one subscription set, at the point where IDENT is sent.
  private func identified() throws -> MemoryClient {
    var client = MemoryClient()
    client.commit("schema")
    client.commitSet(1)
    client.feed(.connected(0))
    try client.receive("ident 1 2 4242\n")
    return client
  }

  /// The same at rest: set 1 is complete, its changeset came with server version 2.
  private func synchronised() throws -> MemoryClient {
    var client = try identified()
    try client.receive("download 1 1 0 1 77 0 0 0 1 1 0 13 0\n1 0 20 1 0 0 ")
    try client.receive("mark 1 1\n")
    try client.receive("download 1 1 2 1 77 2 0 0 2 1 0 0 0\n")
    try client.receive("download 1 2 2 2 77 2 0 1 1 1 0 13 0\n2 2 20 1 0 0 ")
    try client.receive("mark 1 2\n")
    client.effects = []
    return client
  }

  @Test(
    "a new file asks for an ident, presents it, and holds uploads and queries back until MARK is answered"
  )
  func firstConnect() throws {
    var client = try identified()
    #expect(client.takeHeads() == ["bind 1 37 0 1 0", "ident 1 2 4242 0 0 0 0 0 2", "mark 1 1"])
    #expect(client.stored.file == SaltedFileIdent(ident: 2, salt: 4242))
    try client.receive("download 1 1 0 1 77 0 0 0 1 1 0 13 0\n1 0 20 1 0 0 ")
    #expect(client.takeHeads() == [])
    try client.receive("mark 1 1\n")
    #expect(
      client.takeHeads() == ["upload 1 0 16 0 3 0 1", "query 1 1 19", "mark 1 2", "upload 1 0 0 0 4 1 1"]
    )
  }

  // Feature 80
  @Test("a set goes from pending over bootstrapping and awaiting mark to complete")
  func setStates() throws {
    var client = try identified()
    try client.receive("download 1 1 0 1 77 0 0 0 1 1 0 13 0\n1 0 20 1 0 0 ")
    try client.receive("mark 1 1\n")
    #expect(client.setStates[1] == .pending)
    try client.receive("download 1 2 2 2 77 2 0 1 0 0.5 0 13 0\n2 2 20 1 0 0 ")
    #expect(client.setStates[1] == .bootstrapping)
    #expect(client.integrated.count == 1)
    try client.receive("download 1 2 2 2 77 2 0 1 1 1 0 13 0\n2 2 20 1 0 0 ")
    #expect(client.setStates[1] == .awaitingMark)
    #expect(client.integrated.count == 3)
    #expect(client.setStates[0] == nil)
    try client.receive("mark 1 2\n")
    #expect(client.setStates[1] == .complete)
  }

  @Test("a bootstrap without entries completes the set")
  func emptyBootstrap() throws {
    var client = try identified()
    try client.receive("download 1 1 0 1 77 0 0 0 1 1 0 0 0\n")
    try client.receive("mark 1 1\n")
    try client.receive("download 1 2 2 2 77 2 0 1 1 1 0 0 0\n")
    try client.receive("mark 1 2\n")
    #expect(client.setStates == [1: .complete])
  }

  @Test("every integrated server version is acknowledged once")
  func acknowledgement() throws {
    var client = try synchronised()
    _ = client.takeHeads()
    try client.receive("download 1 3 2 3 77 2 0 1 2 1 0 13 0\n3 2 20 7 0 0 ")
    #expect(client.takeHeads() == ["upload 1 0 0 0 6 3 3"])
    client.feed(.localVersionAdvanced(client.stored.localVersion))
    #expect(client.takeHeads() == [])
  }

  @Test("what was integrated before the connection broke is acknowledged on the next one")
  func acknowledgementAfterReconnect() throws {
    var client = try synchronised()
    client.feed(.disconnected(0))
    client.feed(.connected(1))
    #expect(client.takeHeads().filter { $0.hasPrefix("upload") } == ["upload 1 0 0 0 5 2 2"])
    client.feed(.localVersionAdvanced(client.stored.localVersion))
    #expect(client.takeHeads() == [])
  }

  @Test("nothing answers a download without entries, so that no server can start a ping-pong")
  func noPingPong() throws {
    var client = try synchronised()
    _ = client.takeHeads()
    for version in 3...9 {
      try client.receive("download 1 \(version) 2 \(version) 77 2 0 1 2 1 0 0 0\n")
    }
    #expect(client.takeHeads() == [])
    client.commit("x")
    #expect(client.takeHeads() == ["upload 1 0 11 0 6 9 9"])
  }

  // Feature 99
  @Test("changes before a set are uploaded before its QUERY, later ones after it")
  func queryOrder() throws {
    var client = try synchronised()
    client.feed(.disconnected(0))
    client.commit("before")
    client.commitSet(2)
    client.commit("after")
    client.feed(.connected(1000))
    let kinds = client.takeMessages().map { $0.head.prefix { $0 != " " } }
    #expect(kinds == ["bind", "ident", "mark", "upload", "query", "mark", "upload"])
  }

  @Test("of sets between which nothing was written, only the newest is asked for")
  func skippedSets() throws {
    var client = try synchronised()
    client.feed(.disconnected(0))
    client.commit("before")
    client.commitSet(2, isCommit: false)
    client.commitSet(3, isCommit: false)
    client.commit("between")
    client.commitSet(4, isCommit: false)
    client.feed(.connected(1000))
    let heads = client.takeHeads()
    #expect(
      heads.map { $0.prefix { $0 != " " } } == [
        "bind", "ident", "mark", "upload", "query", "mark", "upload", "query", "mark",
      ]
    )
    #expect(heads.filter { $0.hasPrefix("query") }.map { $0.dropLast(3) } == ["query 1 3", "query 1 4"])
  }

  @Test("a set that was skipped is asked for after all if the server refuses the newer one")
  func refusedAfterSkipping() throws {
    var client = try synchronised()
    client.feed(.disconnected(0))
    client.commitSet(2, isCommit: false)
    client.commitSet(3, isCommit: false)
    client.feed(.connected(1000))
    _ = client.takeHeads()
    try client.receive("query_error 226 3 1 3\nbad")
    #expect(client.setStates[3] == .error)
    #expect(client.takeHeads() == ["unbind 1"])
    try client.receive("unbound 1\n")
    let heads = client.takeHeads()
    #expect(heads.contains { $0.hasPrefix("query 1 2 ") })
    #expect(!heads.contains { $0.hasPrefix("query 1 3 ") })
  }

  @Test("a set that the session was not told of goes out before the changes that were committed after it")
  func untoldSet() throws {
    var client = try synchronised()
    client.commit("before")
    _ = client.takeHeads()
    client.commitSet(2, isTold: false)
    client.commit("after")
    #expect(client.takeMessages().map { $0.head.prefix { $0 != " " } } == ["query", "mark", "upload"])

    client.commitSet(3, isTold: false)
    client.defersFetches = true
    client.commit("between")
    client.commitSet(4, isTold: false)
    client.commit("at the end")
    client.defersFetches = false
    client.answerFetch()
    let kinds = client.takeMessages().map { $0.head.prefix { $0 != " " } }
    #expect(kinds == ["query", "mark", "upload", "query", "mark", "upload"])
  }

  @Test("after a long time without connection, uploads wait for MARK again")
  func longOffline() throws {
    var client = try synchronised()
    client.feed(.disconnected(0))
    client.commit("offline")
    client.feed(.connected(60_001))
    #expect(client.takeHeads().map { $0.prefix(4) } == ["bind", "iden", "mark"])
    try client.receive("mark 1 3\n")
    #expect(client.takeHeads() == ["upload 1 0 17 0 6 2 2"])
  }

  @Test("an upload that was not acknowledged is sent again, one that was is not")
  func retransmission() throws {
    var client = try synchronised()
    client.commit("one")
    client.commit("two")
    #expect(client.takeHeads().count == 2)
    client.feed(.disconnected(0))
    client.feed(.connected(1))
    #expect(client.takeHeads().filter { $0.hasPrefix("upload") } == ["upload 1 0 26 0 7 2 2"])
    client.feed(.disconnected(2))
    client.feed(.connected(70_000))
    try client.receive("download 1 2 2 2 77 7 2 1 2 1 0 0 0\n")
    try client.receive("mark 1 4\n")
    #expect(client.takeHeads().filter { $0.hasPrefix("upload") } == [])
  }

  @Test("history that was read for a question of the past is read again")
  func lateAnswer() throws {
    var client = try synchronised()
    client.commit("one")
    client.feed(.disconnected(0))
    client.defersFetches = true
    client.feed(.connected(1))
    client.commit("two")
    _ = client.takeHeads()
    try client.receive("download 1 2 2 2 77 6 2 1 2 1 0 0 0\n")
    client.answerFetch()
    client.answerFetch()
    #expect(client.takeHeads() == ["upload 1 0 13 0 7 2 2"])
  }

  @Test("a refused set is in error and the session goes on")
  func queryError() throws {
    var client = try synchronised()
    client.commitSet(2)
    try client.receive("query_error 226 3 1 2\nbad")
    #expect(client.setStates[2] == .error)
    #expect(client.session.activeSet.version == 1)
    _ = client.takeHeads()
    client.commit("x")
    #expect(client.takeHeads().count == 1)
  }

  @Test(
    "what realm-core would crash on is a violation",
    arguments: [
      "query_error 226 3 1 9\nbad", "query_error 226 3 1 1\nbad",
      "download 1 3 2 3 77 2 0 9 1 1 0 13 0\n3 2 20 1 0 0 ",
      "mark 1 99\n", "mark 1 2\n", "ident 1 5 5\n", "unbound 1\n",
    ]
  )
  func violations(message: String) throws {
    var client = try synchronised()
    try client.receive(message)
    #expect(client.effects.contains { if case .violation = $0 { true } else { false } })
  }

  @Test(
    "cursors and entries that make no sense are reported and nothing is integrated",
    arguments: [
      "download 1 1 2 3 77 2 0 1 2 1 0 0 0\n",  // download cursor decreases
      "download 1 4 2 3 77 2 0 1 2 1 0 0 0\n",  // beyond the latest version
      "download 1 3 3 3 77 2 0 1 2 1 0 0 0\n",  // client version beyond the upload cursor
      "download 1 3 1 3 77 2 0 1 2 1 0 0 0\n",  // client version decreases
      "download 1 3 2 3 77 1 0 1 2 1 0 0 0\n",  // upload cursor decreases
      "download 1 3 2 3 77 99 0 1 2 1 0 0 0\n",  // a client version that does not exist
      "download 1 3 2 3 77 2 4 1 2 1 0 0 0\n",  // upload cursor's server version
      "download 1 3 2 3 77 2 0 1 2 1 0 13 0\n2 2 20 7 0 0 ",  // an entry that was there already
      "download 1 3 2 3 77 2 0 1 2 1 0 13 0\n4 2 20 7 0 0 ",  // an entry beyond the cursor
      "download 1 3 2 3 77 2 0 1 2 1 0 13 0\n3 2 20 2 0 0 ",  // our own file
      "download 1 3 2 3 77 2 0 1 2 1 0 13 0\n3 2 20 0 0 0 ",  // no origin
      "download 1 3 2 3 77 2 0 1 2 1 0 26 0\n3 2 20 7 0 0 3 2 20 7 0 0 ",  // one version twice
    ]
  )
  func badProgress(message: String) throws {
    var client = try synchronised()
    _ = client.takeHeads()
    let integrated = client.integrated.count
    try client.receive(message)
    #expect(client.takeHeads().map { $0.prefix(15) } == ["json_error 233 "])
    #expect(client.integrated.count == integrated)
    client.commit("more")
    try client.receive("download 1 3 2 3 77 2 0 1 2 1 0 0 0\n")
    #expect(client.takeHeads() == [], "the session is stuck until the server says how it goes on")
  }

  @Test("partial batches are dropped when the connection is lost, and the bootstrap starts anew")
  func interruptedBootstrap() throws {
    var client = try synchronised()
    client.commitSet(2)
    try client.receive("download 1 3 2 3 77 2 0 2 0 0.5 0 13 0\n3 2 20 1 0 0 ")
    #expect(client.batches.count == 1)
    client.feed(.disconnected(0))
    #expect(client.batches.isEmpty)
    #expect(client.setStates[2] == .pending)
    let count = client.integrated.count
    client.feed(.connected(1))
    try client.receive("download 1 4 2 4 77 2 0 2 1 1 0 13 0\n4 2 20 1 0 0 ")
    #expect(client.integrated.count == count + 1)
  }

  @Test("a new process discards the batches of an unfinished bootstrap")
  func restart() throws {
    var client = try synchronised()
    client.commitSet(2)
    try client.receive("download 1 3 2 3 77 2 0 2 0 0.5 0 13 0\n3 2 20 1 0 0 ")
    client.restart()
    #expect(client.batches.isEmpty)
    client.feed(.connected(0))
    #expect(client.takeHeads().map { $0.prefix(4) } == ["bind", "iden", "mark"])
  }

  @Test("a steady change in the middle of a bootstrap is refused")
  func steadyInsideBootstrap() throws {
    var client = try synchronised()
    client.commitSet(2)
    try client.receive("download 1 3 2 3 77 2 0 2 0 0.5 0 13 0\n3 2 20 1 0 0 ")
    _ = client.takeHeads()
    try client.receive("download 1 4 2 4 77 2 0 1 2 1 0 13 0\n4 2 20 7 0 0 ")
    #expect(client.takeHeads().map { $0.prefix(15) } == ["json_error 233 "])
  }

  @Test("a bootstrap of the active set leaves it complete")
  func serverInitiatedBootstrap() throws {
    var client = try synchronised()
    try client.receive("download 1 3 2 3 77 2 0 1 1 1 0 13 0\n3 2 20 1 0 0 ")
    #expect(client.setStates == [1: .complete])
  }

  @Test("waits for downloads end with the answer to a MARK, also over a reconnect")
  func downloadCompletion() throws {
    var client = try synchronised()
    client.feed(.downloadCompletionRequested(7))
    client.feed(.disconnected(0))
    client.feed(.connected(1))
    #expect(!client.effects.contains(.completed(7)))
    try client.receive("mark 1 4\n")
    #expect(client.effects.contains(.completed(7)))
  }

  @Test("waits for uploads end when the server has integrated the changes; empty versions count as uploaded")
  func uploadCompletion() throws {
    var client = try synchronised()
    client.commit("x")
    client.feed(.uploadCompletionRequested(5, through: 6))
    #expect(!client.effects.contains(.completed(5)))
    try client.receive("download 1 2 2 2 77 6 2 1 2 1 0 0 0\n")
    #expect(client.effects.contains(.completed(5)))
    #expect(client.effects.contains(.uploadAcknowledged(6)))
    client.feed(.uploadCompletionRequested(6, through: client.stored.localVersion))
    #expect(client.effects.contains(.completed(6)))
  }

  @Test("a failed integration is reported to server and app, and the session sends nothing more")
  func integrationFailure() throws {
    var client = try synchronised()
    _ = client.takeHeads()
    client.nextFailure = .badChangeset
    try client.receive("download 1 3 2 3 77 2 0 1 2 1 0 13 0\n3 2 20 7 0 0 ")
    #expect(client.takeHeads() == ["json_error 212 31 1"])
    #expect(client.reports.map(\.code) == [.badChangeset])
    client.commit("x")
    #expect(client.takeHeads() == [])
    client.feed(.suspend)
    #expect(client.takeHeads() == ["unbind 1"])
  }

  @Test("pausing unbinds, resuming binds again after the server's answer")
  func suspension() throws {
    var client = try synchronised()
    _ = client.takeHeads()
    client.feed(.suspend)
    client.feed(.resume)
    #expect(client.takeHeads() == ["unbind 1"])
    try client.receive("download 1 3 2 3 77 2 0 1 2 1 0 13 0\n3 2 20 7 0 0 ")
    try client.receive("unbound 1\n")
    #expect(client.takeHeads().map { $0.prefix(4) } == ["bind", "iden", "mark"])
    #expect(client.stored.progress.download.serverVersion == 2)
  }
}

extension MemoryClient {
  var reports: [SyncErrorReport] {
    effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
  }
}
