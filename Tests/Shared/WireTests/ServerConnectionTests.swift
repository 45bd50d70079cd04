// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncEngine
@testable import FlexSyncWire

/// The rules of protocol §3.4 and §4.7, one by one.
@Suite("Server connection")
struct ServerConnectionTests {
  @Test("a new file gets an ident at once, then a bootstrap of version 0 before any answer to MARK")
  func newFile() {
    var server = ManualHost()
    #expect(server.receive(#"bind 1 2 0 1 0|{}"#) == [])
    #expect(
      server.feed(.fileIdentAllocated(server.key, SaltedFileIdent(ident: 2, salt: 5))) == ["ident 1 2 5"]
    )
    #expect(server.receive("ident 1 2 5 0 0 0 0 0 2|{}") == [])
    #expect(server.receive("mark 1 1|") == [])
    #expect(server.feed(.identified(server.key, server.resume)) == [])
    #expect(server.effects.last == .catchUp(server.key))
    #expect(
      server.feed(.deliver(server.key, .bootstrap(0, at: 1))) == ["download 1 1 0 1 77 0 0 0 1 1 0 14 0"]
    )
    // The MARK came after the host had been asked to catch up: once more.
    #expect(server.caughtUp(1) == [])
    #expect(server.caughtUp(1) == ["mark 1 1"])
  }

  @Test("a file without news gets an empty DOWNLOAD before MARK is answered")
  func emptyResume() {
    var server = ManualHost.active()
    #expect(server.receive("mark 1 1|") == [])
    #expect(server.caughtUp(0) == ["mark 1 1"])
  }

  @Test("MARK waits for the uploads and queries before it, and for nothing after it")
  func markOrder() {
    var server = ManualHost.active()
    _ = server.receive("upload 1 0 13 0 5 0 0|5 0 1 0 3 abc")
    _ = server.receive("query 1 1 2|{}")
    _ = server.receive("mark 1 1|")
    _ = server.receive("upload 1 0 13 0 6 0 0|6 0 1 0 3 abc")
    _ = server.receive("query 1 2 2|{}")
    #expect(
      server.feed(.uploadIntegrated(server.key, UploadCursor(clientVersion: 5, serverVersion: 0))) == []
    )
    #expect(server.caughtUp(0) == ["download 1 0 0 0 77 5 0 0 2 1 0 0 0"])
    #expect(
      server.feed(.deliver(server.key, .bootstrap(1, at: 1))) == ["download 1 1 0 1 77 5 0 1 1 1 0 14 0"]
    )
    #expect(server.caughtUp(1) == ["mark 1 1"])
  }

  @Test("The host reads no more while very many requests wait for their answers")
  func manyMarks() {
    var server = ManualHost.active()
    for request in 1...100 { _ = server.receive("mark 1 \(request)|") }
    #expect(!server.connection.hasWaitingMessages)
    _ = server.receive("mark 1 101|")
    #expect(server.connection.hasWaitingMessages)
    // All but the first came after the host had been asked.
    #expect(server.caughtUp(0) == ["mark 1 1"])
    #expect(server.caughtUp(0).count == 100)
    #expect(!server.connection.hasWaitingMessages)
  }

  @Test("The host reads on after an error has ended a session for which very many uploads wait")
  func manyUploads() {
    var server = ManualHost.active()
    for version in 1...101 { _ = server.receive("upload 1 0 0 0 \(version) 0 0|") }
    #expect(server.connection.hasWaitingMessages)
    let info = ErrorInfo(message: "enough", action: .transient, tryAgain: true)
    #expect(server.feed(.fail(server.key, .badChangeset, info)).count == 1)
    #expect(!server.connection.hasWaitingMessages)
  }

  @Test("A client cannot bind any number of sessions over one connection")
  func manySessions() {
    var server = ManualHost()
    for session in 1...2_000 { _ = server.receive("bind \(session) 2 0 0 0|{}") }
    _ = server.receive("unbind 1|")
    #expect(server.receive("bind 2001 2 0 0 0|{}") == [])
    #expect(server.receive("bind 2002 2 0 0 0|{}").first?.hasPrefix("json_error 101 ") == true)
  }

  @Test("MARK is not answered between the batches of a bootstrap")
  func markInsideBootstrap() {
    var server = ManualHost.active()
    _ = server.receive("query 1 1 2|{}")
    _ = server.feed(.deliver(server.key, .bootstrap(1, at: 1, .more)))
    #expect(server.receive("mark 1 1|") == [])
    #expect(server.caughtUp(1) == [])
    _ = server.feed(.deliver(server.key, .bootstrap(1, at: 1)))
    #expect(server.caughtUp(1) == ["mark 1 1"])
  }

  @Test("a refused query answers MARK, too; a superseded one is never mentioned")
  func queryErrors() {
    var server = ManualHost.active()
    for version in 1...3 { _ = server.receive("query 1 \(version) 2|{}") }
    _ = server.receive("mark 1 1|")
    #expect(server.feed(.queryFailed(server.key, 3, message: "bad")) == ["query_error 226 3 1 3"])
    #expect(server.caughtUp(0) == [])
    #expect(server.feed(.deliver(server.key, .bootstrap(2, at: 1))).count == 1)
    #expect(server.feed(.queryFailed(server.key, 1, message: "bad")) == [])
    #expect(server.caughtUp(1) == ["mark 1 1"])
    #expect(server.receive("query 1 4 1|{") == ["query_error 226 \(server.lastErrorSize) 1 4"])
  }

  @Test("an upload with changesets is acknowledged without moving the stream, an empty one is not answered")
  func uploadAcknowledgement() {
    var server = ManualHost.active()
    _ = server.receive("upload 1 0 0 0 4 0 0|")
    #expect(
      server.feed(.uploadIntegrated(server.key, UploadCursor(clientVersion: 4, serverVersion: 0))) == []
    )
    #expect(server.asksToCatchUp == false)
    _ = server.receive("upload 1 0 13 0 5 0 0|5 0 1 0 3 abc")
    #expect(
      server.feed(.uploadIntegrated(server.key, UploadCursor(clientVersion: 5, serverVersion: 0))) == []
    )
    #expect(server.caughtUp(0) == ["download 1 0 0 0 77 5 0 0 2 1 0 0 0"])
    #expect(server.caughtUp(0) == [])
  }

  @Test("a delivery acknowledges the upload")
  func deliveryAcknowledges() {
    var server = ManualHost.active()
    _ = server.receive("upload 1 0 13 0 5 0 0|5 0 1 0 3 abc")
    _ = server.feed(.uploadIntegrated(server.key, UploadCursor(clientVersion: 5, serverVersion: 0)))
    let info = ErrorInfo.compensatingWrite(
      message: "no",
      rejectedClientVersion: 5,
      serverVersion: 1,
      rejectedUpdates: []
    )
    #expect(server.feed(.compensatingWrite(server.key, info)).map { $0.prefix(15) } == ["json_error 231 "])
    #expect(server.feed(.deliver(server.key, .steady(at: 1))) == ["download 1 1 0 1 77 5 0 0 2 1 0 14 0"])
    #expect(server.caughtUp(1) == [])
  }

  @Test("changesets that were integrated before are left out")
  func retransmission() {
    var server = ManualHost.active(integrated: 5)
    _ = server.receive("upload 1 0 26 0 6 0 0|5 0 1 0 3 abc6 0 1 0 3 def")
    let entries = server.effects.compactMap { effect in
      if case .integrateUpload(_, let message) = effect { message.entries.map(\.clientVersion) } else { nil }
    }
    #expect(entries == [[6]])
  }

  @Test(
    "bad cursors of an UPLOAD end the session with a client reset",
    arguments: [
      ("upload 1 0 0 0 3 0 0|", 210), ("upload 1 0 0 0 5 9 0|", 209), ("upload 1 0 0 0 5 0 9|", 209),
      ("upload 1 0 13 0 5 0 0|4 0 1 0 3 abc", 210), ("upload 1 0 13 0 5 0 0|6 0 1 0 3 abc", 210),
      ("upload 1 0 13 0 5 0 0|5 1 1 0 3 abc", 209),
    ]
  )
  func badUploads(message: String, code: Int) {
    var server = ManualHost.active()
    _ = server.receive("upload 1 0 0 0 4 0 0|")
    #expect(server.receive(message).map { $0.prefix(15) } == ["json_error \(code) "])
    #expect(server.lastError?.action == .clientReset)
    #expect(server.isClosed == false)
  }

  @Test("after an error the session is silent until UNBIND, which is not answered, and may be bound again")
  func silenceAfterError() {
    var server = ManualHost.active()
    let info = ErrorInfo(message: "again", action: .transient, tryAgain: true)
    #expect(server.feed(.fail(server.key, .sessionClosed, info)).count == 1)
    let oldKey = server.key
    #expect(server.receive("mark 1 1|") == [])
    #expect(server.receive("upload 1 0 0 0 9 9 9|") == [])
    #expect(server.feed(.deliver(oldKey, .steady(at: 1))) == [])
    #expect(server.feed(.fail(oldKey, .badChangeset, info)) == [])
    #expect(server.receive("unbind 1|") == [])
    #expect(server.effects.last == .sessionEnded(oldKey))
    #expect(server.receive("bind 1 2 0 0 0|{}") == [])
    #expect(server.receive("ident 1 2 5 0 0 0 0 0 2|{}") == [])
    #expect(server.key != oldKey)
    #expect(server.feed(.identified(oldKey, server.resume)) == [], "an answer for the old binding")
  }

  @Test("UNBIND is answered, and what the host says later is not sent")
  func unbind() {
    var server = ManualHost.active()
    #expect(server.receive("unbind 1|") == ["unbound 1"])
    #expect(server.feed(.deliver(server.key, .steady(at: 1))) == [])
    #expect(server.receive("bind 1 2 0 0 0|{}") == [])
  }

  @Test("PING is answered at any time")
  func ping() {
    var server = ManualHost()
    #expect(server.receive("ping 99 0|") == ["pong 99"])
  }

  @Test("a client's error is passed to the host, whose error is sent")
  func clientError() {
    var other = ManualHost.active()
    #expect(other.receive(#"json_error 212 16 1|{"message":"no"}"#) == [])
    #expect(other.effects.last == .clientFailed(other.key, .badChangeset, message: "no"))
    #expect(other.feed(.deliver(other.key, .steady(at: 1))) == [])
    let failure = ServerConnection.Event.fail(other.key, .badClientFile, .reset("start over"))
    #expect(other.feed(failure).map { $0.prefix(15) } == ["json_error 217 "])
  }

  @Test("the text of a client's error is left unread if it is long, but the error is known")
  func longClientError() {
    var server = ManualHost.active()
    #expect(server.receive("json_error 212 70000 1|\(String(repeating: "x", count: 70_000))") == [])
    #expect(
      server.effects.last == .clientFailed(server.key, .badChangeset, message: "its error has 70000 bytes")
    )
  }

  @Test("a client does not get back more than the beginning of a long text of its own")
  func longNames() {
    var server = ManualHost.active()
    let body = "{\"\(String(repeating: "x", count: 50_000))\":1}"
    _ = server.receive("query 1 1 \(body.utf8.count)|\(body)")
    #expect((1...5_000).contains(server.lastErrorSize))
  }

  @Test("a query body with anything nested in it is refused where that begins")
  func nestedQueries() {
    for nested in ["[", "{"] {
      var server = ManualHost.active()
      let body = #"{"Task":"a\"[b","Team": \#(nested)and not JSON"#
      _ = server.receive("query 1 1 \(body.utf8.count)|\(body)")
      #expect(server.lastQueryError == "Invalid query: the body has a query that is not a string")
    }
  }

  @Test(
    "a message that is not legal ends the connection with its error",
    arguments: [
      ("hello|", 102), ("mark x|", 103), ("mark 7 1|", 106), ("bind 1 2 0 0 0|{}", 107), ("mark 1 0|", 109),
      ("query 1 0 2|{}", 109), ("ident 1 2 5 0 0 0 0 0 2|{}", 109), ("upload 1 1 9 3 0 0 0|abc", 110),
      ("upload 1 0 1 0 0 0 0|a", 111), ("upload 1 0 11 0 0 0 0|5 0 1 0 30 ", 112), ("unbind 9|", 106),
      ("bind 9 5 0 1 0|/path", 103),
    ]
  )
  func illegalMessages(message: String, code: Int) {
    var server = ManualHost.active()
    _ = server.receive("query 1 1 2|{}")
    let answer = server.receive(message)
    #expect(answer.map { $0.prefix(15) } == ["json_error \(code) "], "\(answer)")
    #expect(answer.first?.hasSuffix(" 0") == true)
    #expect(server.lastError?.tryAgain == false)
    #expect(server.isClosed)
    #expect(server.effects.contains(.sessionEnded(server.key)))
    #expect(server.receive("ping 1 0|") == [])
  }

  @Test("a file must not have two sessions on a connection")
  func sameFileTwice() {
    var server = ManualHost.active()
    _ = server.receive("bind 2 2 0 0 0|{}")
    let answer = server.receive("ident 2 2 5 0 0 0 0 0 2|{}")
    #expect(answer.map { $0.prefix(15) } == ["json_error 108 "])
    var other = ManualHost.active()
    _ = other.feed(.fail(other.key, .badClientFile, .reset("start over")))
    _ = other.receive("bind 2 2 0 0 0|{}")
    #expect(other.receive("ident 2 2 5 0 0 0 0 0 2|{}") == [])
    #expect(other.isClosed == false)
  }

  @Test("IDENT with another file than the allocated one, or with a bad query, ends the session")
  func badIdents() {
    var server = ManualHost()
    _ = server.receive("bind 1 2 0 1 0|{}")
    _ = server.feed(.fileIdentAllocated(server.key, SaltedFileIdent(ident: 2, salt: 5)))
    #expect(server.receive("ident 1 2 6 0 0 0 0 0 2|{}").map { $0.prefix(15) } == ["json_error 208 "])
    var other = ManualHost()
    _ = other.receive("bind 1 2 0 0 0|{}")
    #expect(other.receive("ident 1 2 6 0 0 0 0 0 1|{").map { $0.prefix(15) } == ["json_error 226 "])
  }

  @Test(
    "codes that abort clients are never sent",
    arguments: [104, 202, 203, 205, 207, 214, 215, 218, 219, 220, 221, 224, 103]
  )
  func forbiddenCodes(code: Int) {
    var server = ManualHost.active()
    let info = ErrorInfo(message: "no", action: .transient, tryAgain: true)
    let answer = server.feed(.fail(server.key, ErrorCode(rawValue: code), info))
    #expect(answer.map { $0.prefix(15) } == ["json_error 201 "])
  }

  @Test("what the host must not send ends the session instead of harming the client")
  func hostViolations() {
    let batches: [DownloadBatch] = [
      .bootstrap(7, at: 1),  // not asked for
      DownloadBatch(
        download: .start,
        latest: LatestServerVersion(serverVersion: 0, salt: 77),
        queryVersion: 0,
        batchState: .last,
        entries: []
      ),  // empty
      DownloadBatch(
        download: DownloadCursor(serverVersion: 5, clientVersion: 9),
        latest: LatestServerVersion(serverVersion: 5, salt: 77),
        queryVersion: 0,
        batchState: .steady,
        entries: []
      ),
    ]
    for batch in batches {
      var server = ManualHost.active()
      #expect(server.feed(.deliver(server.key, batch)).map { $0.prefix(15) } == ["json_error 201 "])
      #expect(server.effects.contains { if case .hostViolation = $0 { true } else { false } })
    }
    var server = ManualHost.active()
    _ = server.feed(.deliver(server.key, .bootstrap(0, at: 1, .more)))
    #expect(server.feed(.deliver(server.key, .steady(at: 2))).map { $0.prefix(15) } == ["json_error 201 "])
  }
}
