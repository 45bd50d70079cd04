// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@testable import FlexSyncWire

@Suite("Messages")
struct MessageTests {
  @Test("a large body is compressed and comes back")
  func largeBodiesAreCompressed() throws {
    let changeset = [UInt8](repeating: 7, count: 5000)
    let message = ClientMessage.upload(.sample(changeset))
    let bytes = message.encode()
    #expect(bytes.count < 200)
    #expect(try ClientMessage.decode(bytes) == message)
    #expect(message.encode(isCompressionAllowed: false).count > 5000)
  }

  @Test("a body of 1024 bytes is not compressed")
  func smallBodiesStayPlain() {
    let overhead = "5 0 1 0 1000 ".utf8.count
    let plain = ClientMessage.upload(.sample([UInt8](repeating: 7, count: 1024 - overhead)))
    #expect(plain.encode() == plain.encode(isCompressionAllowed: false))
    let compressed = ClientMessage.upload(.sample([UInt8](repeating: 7, count: 1025 - overhead)))
    #expect(compressed.encode() != compressed.encode(isCompressionAllowed: false))
  }

  @Test("a body that announces more than the limit is refused before it is inflated")
  func bombsAreRefused() throws {
    let bomb = ClientMessage.upload(.sample([UInt8](repeating: 0, count: 1 << 20))).encode()
    #expect(throws: ProtocolError.self) {
      try ClientMessage.decode(bomb, limits: MessageLimits(bodyByteCount: 1 << 19))
    }
    #expect(throws: Never.self) { try ClientMessage.decode(bomb) }
  }

  @Test("a line for the log keeps its level, also without a text")
  func levelWithoutText() throws {
    for level in [LogMessage.Level.debug, .info, .fatal] {
      let message = ServerMessage.log(LogMessage(session: 2, level: level, message: nil, correlationId: "1"))
      #expect(try ServerMessage.decode(message.encode()) == message)
    }
  }

  @Test("a size that compression cannot reach is refused")
  func impossibleSizesAreRefused() {
    expect(.badDecompression, "upload 1 1 30000000 3 0 0 0\nabc")
    expect(.badDecompression, "upload 1 1 3 3 0 0 0\nabc")
  }

  @Test(
    "each violation has its code",
    arguments: [
      ("hello 1\n", ErrorCode.unknownMessage), ("", .unknownMessage), ("mark 1\n", .badSyntax),
      ("mark 0 1\n", .badSessionIdent), ("unbind 1\nx", .badSyntax),
      ("upload 1 0 4 0 1 0 0\n1 x ", .badChangesetHeader),
      ("upload 1 0 14 0 1 0 0\n1 0 0 0 99 abc", .badChangesetSize),
      ("bind 1 3 0 2 0\nabc", .badSyntax), ("query 1 1 3\n{}", .badSyntax),
      ("query 1 9223372036854775808 2\n{}", .badSyntax), (String(repeating: "a", count: 600), .badSyntax),
      ("json_error 212 2 1\n{}", .badSyntax),
    ]
  )
  func violationsHaveCodes(text: String, code: ErrorCode) { expect(code, text) }

  @Test("the error of a client is refused for its size before its text is looked at")
  func clientErrorSize() {
    let error = #expect(throws: ProtocolError.self) {
      try ClientMessage.decode(Array("json_error 212 10 1\n{}".utf8))
    }
    #expect(error?.message == "bad json_error message: 2 bytes where 10 were announced")
  }

  @Test("the parameters of BIND have at most 64 KiB")
  func longParameters() throws {
    func bind(_ size: Int) -> [UInt8] {
      Array("bind 1 \(size) 0 1 0\n{\(String(repeating: " ", count: size - 2))}".utf8)
    }
    guard case .bind(let message) = try ClientMessage.decode(bind(64 << 10)) else {
      Issue.record("not a BIND")
      return
    }
    #expect(try message.options(version: .newest) == BindOptions())
    let error = #expect(throws: ProtocolError.self) { try ClientMessage.decode(bind(64 << 10 + 1)) }
    #expect(error?.code == .badSyntax)
    #expect(error?.message == "bad bind message: a part has 65537 bytes; at most 65536 are allowed")
  }

  @Test("old versions get the old forms")
  func oldVersions() {
    let progress = SyncProgress(
      download: DownloadCursor(serverVersion: 2, clientVersion: 6),
      upload: UploadCursor(clientVersion: 6, serverVersion: 0),
      latest: LatestServerVersion(serverVersion: 2, salt: 77)
    )
    let download = ServerMessage.download(
      DownloadMessage(
        session: 1,
        progress: progress,
        queryVersion: 0,
        batchState: .steady,
        progressEstimate: 0.5
      )
    )
    #expect(text(download, version: 14) == "download 1 2 6 2 77 6 0 0 2 0.5 0 0 0\n")
    #expect(text(download, version: 13) == "download 1 2 6 2 77 6 0 0 1 0.5 0 0 0\n")
    #expect(text(download, version: 11) == "download 1 2 6 2 77 6 0 0 1 0 0 0 0\n")
    let info = ErrorInfo(message: "no", action: .transient, tryAgain: true)
    let error = ServerMessage.error(ErrorMessage(code: .sessionClosed, session: 1, info: info))
    #expect(text(error, version: 3) == "error 200 2 1 1\nno")
    #expect(text(error, version: 14).hasPrefix("json_error 200 "))
  }

  @Test(
    "keys of rejected updates have the documented form",
    arguments: [
      (PrimaryKey.null, "AA=="), (.int(5), "AQU="), (.string("abc"), "AwNhYmM="),
      (.objectId(ObjectId(high: 0x65a0_0000_0000_0000, low: 2)), "CmWgAAAAAAAAAAAAAg=="),
      (.uuid(UUIDValue(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)), "CwABAgMEBQYHCAkKCwwNDg8="),
    ]
  )
  func rejectedKeys(key: PrimaryKey, text: String) throws {
    #expect(RejectedKey.encode(key) == text)
    #expect(try RejectedKey.decode(text) == key)
  }

  @Test(
    "integer keys of every size survive",
    arguments: [Int64.min, -65, -64, -1, 0, 63, 64, 8192, Int64.max]
  )
  func integerKeys(value: Int64) throws {
    #expect(try RejectedKey.decode(RejectedKey.encode(.int(value))) == .int(value))
  }

  @Test("a query set is written in the order of the class names' bytes, and read in any order")
  func querySets() throws {
    let set = QuerySet(["Team": "(TRUEPREDICATE)", "Task": "(a == \"x\")"])
    #expect(String(decoding: set.body, as: UTF8.self) == #"{"Task":"(a == \"x\")","Team":"(TRUEPREDICATE)"}"#)
    #expect(try QuerySet(body: set.body) == set)
    #expect(try QuerySet(body: Array(#"{"Team":"(TRUEPREDICATE)","Task":"(a == \"x\")"}"#.utf8)) == set)
    #expect(QuerySet.empty.body == Array("{}".utf8))
    #expect(throws: QuerySetError.self) { try QuerySet(body: Array(#"{"Team":1}"#.utf8)) }
    #expect(throws: QuerySetError.self) { try QuerySet(body: Array("[]".utf8)) }
    #expect(throws: QuerySetError.self) { try QuerySet(body: []) }
  }

  private func expect(_ code: ErrorCode, _ message: String) {
    do throws(ProtocolError) {
      let decoded = try ClientMessage.decode(Array(message.utf8))
      Issue.record("accepted: \(decoded)")
    } catch {
      #expect(error.code == code, "\(error)")
    }
  }

  private func text(_ message: ServerMessage, version: Int) -> String {
    String(
      decoding: message.encode(version: SyncProtocolVersion(rawValue: version) ?? .newest),
      as: UTF8.self
    )
  }
}

extension UploadMessage {
  static func sample(_ changeset: [UInt8]) -> UploadMessage {
    UploadMessage(
      session: 1,
      progress: UploadCursor(clientVersion: 5, serverVersion: 0),
      lockedServerVersion: 0,
      entries: [UploadEntry(clientVersion: 5, serverVersion: 0, timestamp: 1, changeset: changeset)]
    )
  }
}
