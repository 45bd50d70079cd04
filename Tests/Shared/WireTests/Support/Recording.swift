// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The sync messages of a recorded run of realm-core's client, in the order in which they went over the wire.
struct Recording {
  enum Line {
    case client(ClientMessage)
    case server(ServerMessage)
  }

  let name: String
  let lines: [(connection: Int64, line: Line)]

  static let names = [
    "01-first-open", "02-reopen", "03-subscription-update", "04-list-edits", "05-delete",
    "06-compressed-bulk-upload", "07-compensating-write", "08-query-error", "09-client-reset",
    "10-token-refresh",
    "11-remote-changes",
  ]

  init(_ name: String) throws {
    self.name = name
    var lines: [(connection: Int64, line: Line)] = []
    for text in try Self.contents("\(PackageFolder.vectors)/sessions/\(name).jsonl").split(separator: 10) {
      let row = try JSON.parse(text)
      guard row["kind"]?.stringValue == "frame", row["opcode"]?.integerValue == 2 else { continue }
      let bytes = try #require(Hex.decode(row["hex"]?.stringValue ?? "x"))
      let connection = try #require(row["connection"]?.integerValue)
      let isFromClient = row["dir"]?.stringValue == "c2s"
      lines.append(
        (
          connection: connection,
          line: isFromClient
            ? .client(try ClientMessage.decode(bytes)) : .server(try ServerMessage.decode(bytes))
        )
      )
    }
    self.lines = lines
  }

  /// The IDENT that follows a BIND.
  func ident(after index: Int, session: SessionIdent) -> IdentMessage? {
    for (_, line) in lines[index...] {
      if case .client(.ident(let message)) = line, message.session == session { return message }
    }
    return nil
  }

  private static func contents(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"))
    defer { fclose(file) }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return contents }
      contents += chunk[..<count]
    }
  }
}
