// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import FlexSyncWire

@testable import FlexSyncServer

/// A connection that sends any bytes to a server and collects what comes back.
final class RawClient {
  private var connection: Connection?
  private(set) var received: [UInt8] = []
  private(set) var isClosed = false

  init(_ harness: Harness) throws {
    var hasCompleted = false
    Connection.connect(loop: harness.loop, to: harness.server.endpoint) { [self] result in
      hasCompleted = true
      guard case .success(let connection) = result else { return }
      self.connection = connection
      connection.onRead = { [weak self] in self?.received += $0 }
      connection.onClose = { [weak self] _ in self?.isClosed = true }
      connection.start()
    }
    try harness.run(until: { hasCompleted }, "connection")
  }

  func send(_ bytes: [UInt8]) { connection?.write(bytes) }
  func send(_ text: String) { send(Array(text.utf8)) }
  func close() { connection?.close() }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// The status of the first answer; nil if none has come.
  var status: Int? {
    let words = text.prefix(20).split(separator: " ")
    return words.count > 1 && text.contains("\r\n") ? Int(words[1]) : nil
  }

  /// Opens a web socket for sync.
  func upgrade(_ harness: Harness, path: String? = nil, headers: [String] = []) throws {
    let path = path ?? "/api/client/v2.0/app/\(Harness.appID)/realm-sync"
    let fields =
      [
        "GET \(path) HTTP/1.1", "Host: h", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: com.mongodb.realm-query-sync#14",
      ] + headers
    send(fields.joined(separator: "\r\n") + "\r\n\r\n")
    try harness.run(until: { status != nil || isClosed }, "answer to the upgrade")
  }
}

/// The frames of a client, by hand.
enum RawFrame {
  /// - Parameter announcing: another length than the payload has.
  static func client(
    _ opcode: UInt8,
    _ payload: [UInt8],
    isFinal: Bool = true,
    announcing length: UInt64? = nil
  ) -> [UInt8] {
    let length = length ?? UInt64(payload.count)
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: length >> UInt64(56 - 8 * $0)) }
    // The mask is zero, so that the payload stays as it is.
    return [(isFinal ? 0x80 : 0) | opcode, 0x80 | 127] + bytes + [0, 0, 0, 0] + payload
  }
}

extension Harness {
  /// That the server serves: an old client gets an answer, and a new one a session.
  func checkServes(_ bystander: WireConnection, mark: UInt64 = 1) throws {
    bystander.send(.mark(session: 1, request: mark))
    try run(until: { bystander.marks.last == mark }, "the bystander's mark")
    let connection = try connect(try logIn())
    _ = try connection.openSession(1, self)
    connection.drop()
  }

  /// A connection with one session that has got its first download.
  func openSession(_ tokens: Tokens? = nil) throws -> WireConnection {
    let connection = try connect(try tokens ?? logIn())
    _ = try connection.openSession(1, self)
    return connection
  }
}

extension WireConnection {
  /// Binds a session of a new file and waits for its first download.
  func openSession(_ session: UInt64, _ harness: Harness) throws -> SaltedFileIdent {
    send(.bind(BindMessage(session: session, options: BindOptions(), needsFileIdent: true)))
    var file: SaltedFileIdent?
    try harness.run(
      until: {
        file = received.compactMap { if case .ident(session, let file) = $0 { file } else { nil } }.last
        return file != nil
      },
      "ident of session \(session)"
    )
    guard let file else { throw Harness.TimeoutError(what: "ident") }
    send(.ident(.resuming(file, in: session)))
    try harness.run(until: { downloads.contains { $0.session == session } }, "first download")
    return file
  }

  func errors(of session: UInt64) -> [ErrorMessage] { errors.filter { $0.session == session } }
}

extension IdentMessage {
  /// The IDENT of a file that has nothing yet.
  static func resuming(_ file: SaltedFileIdent, in session: UInt64) -> IdentMessage {
    IdentMessage(
      session: session,
      file: file,
      download: .start,
      latest: .none,
      queryVersion: 0,
      queryBody: Array("{}".utf8)
    )
  }
}
