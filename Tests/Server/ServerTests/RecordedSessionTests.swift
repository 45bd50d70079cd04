// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncJSON
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncServerSupport

@Suite("What Realm's client sent in recorded sessions")
struct RecordedSessionTests {
  @Test(
    "The server answers every message as a client needs it",
    arguments: [
      "01-first-open", "03-subscription-update", "04-list-edits", "06-compressed-bulk-upload",
      "07-compensating-write", "08-query-error",
    ]
  )
  func replay(name: String) throws {
    let harness = try Harness()
    let connection = try harness.connect(try harness.logIn())
    var player = Player(harness: harness, connection: connection)
    for message in try messages(name) { try player.play(message) }
    #expect(connection.errors.allSatisfy { $0.code == .compensatingWrite }, "\(connection.errors)")
    #expect(connection.errors.isEmpty == (name != "07-compensating-write"))
    #expect(connection.isOpen)
  }

  private func messages(_ name: String) throws -> [ClientMessage] {
    let file = try FileSystem.contents(of: "\(PackageFolder.sessionVectors)/\(name).jsonl")
    return try file.split(separator: 0x0A).compactMap { line in
      let row = try JSON.parse(line)
      guard row["kind"] == "frame", row["dir"] == "c2s", row["opcode"] == 2,
        let bytes = row["hex"]?.stringValue.flatMap(Hex.decode)
      else { return nil }
      return try ClientMessage.decode(bytes)
    }
  }

  /// Sends recorded messages with the numbers of this server in place of the recorded server's.
  private struct Player {
    let harness: Harness
    let connection: WireConnection

    private var serverVersion: UInt64 { connection.downloads.last?.download.serverVersion ?? 0 }

    mutating func play(_ message: ClientMessage) throws {
      switch message {
      case .ident(var ident):
        try harness.run(until: { !connection.idents.isEmpty }, "ident")
        ident.file = try #require(connection.idents.last)
        connection.send(.ident(ident))
      case .upload(var upload):
        upload.progress.serverVersion = serverVersion
        upload.lockedServerVersion = serverVersion
        for index in upload.entries.indices { upload.entries[index].serverVersion = serverVersion }
        connection.send(.upload(upload))
        guard let version = upload.entries.last?.clientVersion else { return }
        try harness.run(until: { isAcknowledged(version) }, "acknowledgement of \(version)")
      case .query(_, let version, _):
        connection.send(message)
        try harness.run(until: { isAnswered(version) }, "answer to query \(version)")
      case .mark(_, let request):
        connection.send(message)
        try harness.run(until: { connection.marks.last == request }, "mark \(request)")
      case .unbind(let session):
        connection.send(.unbind(session))
        try harness.run(until: { connection.received.last == .unbound(session) }, "unbound")
      default: connection.send(message)
      }
    }

    private func isAcknowledged(_ version: UInt64) -> Bool {
      connection.downloads.last.map { $0.upload.clientVersion >= version } ?? false || !connection.isOpen
    }

    private func isAnswered(_ version: UInt64) -> Bool {
      connection.downloads.contains { $0.queryVersion == version && $0.batchState == .last }
        || connection.queryErrors.contains { $0.queryVersion == version } || !connection.isOpen
    }
  }
}
