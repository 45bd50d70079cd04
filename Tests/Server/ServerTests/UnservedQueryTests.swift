// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire
import Testing

@testable import FlexSyncServer

/// Clients come with subscriptions that were good elsewhere, or before, and this app cannot serve them.
@Suite("Files whose subscriptions cannot be served")
struct UnservedQueryTests {
  private static func schema(_ name: String) -> String {
    """
    {"title":"\(name)","bsonType":"object","required":["_id","text"],
     "properties":{"_id":{"bsonType":"long"},"text":{"bsonType":"string"}}}
    """
  }

  private let app = SmallApp(schemas: ["notes": Self.schema("Note")])
  private let harness: Harness

  init() throws { harness = try Harness(app: app.path) }

  /// What a file of another server gets for an answer.
  private func answer(to query: String) throws -> ErrorMessage {
    let connection = try harness.connect(try harness.logIn())
    defer { connection.drop() }
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
    connection.send(
      .ident(
        IdentMessage(
          session: 1,
          file: SaltedFileIdent(ident: 77, salt: 4711),
          download: DownloadCursor(serverVersion: 12, clientVersion: 3),
          latest: LatestServerVersion(serverVersion: 12, salt: 5),
          queryVersion: 3,
          queryBody: Array(query.utf8)
        )
      )
    )
    try harness.run(until: { !connection.errors.isEmpty }, "error")
    return try #require(connection.errors.first)
  }

  @Test("They wait for a class that was forgotten, and go on with a reset when it is there")
  func forgottenClass() throws {
    let query = #"{"Note":"(_id > 3)","Picture":"(TRUEPREDICATE)"}"#
    let error = try answer(to: query)
    #expect(error.code == .badQuery && error.session == 1)
    #expect(error.info.action == .warning && error.info.tryAgain && !error.info.shouldClientReset)
    #expect(error.info.backoff != nil)
    #expect(error.info.message.contains("Picture"))
    app.folder.write(Self.schema("Picture"), to: "data_sources/s/d/pictures/schema.json")
    harness.server.reload()
    let next = try answer(to: query)
    #expect(next.code == .badClientFileIdent && next.info.action == .clientReset)
  }

  @Test("They wait for a field that was never queryable, but not for one that the operator has withdrawn")
  func fields() throws {
    let query = #"{"Note":"(text == \"a\")"}"#
    #expect(try answer(to: query).code == .badQuery)
    allow("\"text\"")
    #expect(try answer(to: query).code == .badClientFileIdent)
    allow("")
    #expect(try answer(to: query).code == .badClientFileIdent)
  }

  private func allow(_ names: String) {
    app.folder.write(
      """
      {"type":"flexible","state":"enabled","service_name":"s","database_name":"d",
       "queryable_fields_names":[\(names)]}
      """,
      to: "sync/config.json"
    )
    harness.server.reload()
  }
}
