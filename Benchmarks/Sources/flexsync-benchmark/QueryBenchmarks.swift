// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops
import Foundation
import RawSQLite

/// Queries over many objects compared with the same SQL: each is parsed, compiled, prepared and run from scratch.
func queryBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let rows = makeTasks(options.isQuick ? 100_000 : 1_000_000, from: 0)
  let realm = try OpenRealm(path: folder.appending(path: "query.flexsync").path, hasIndex: true)
  let raw = try RawFile(path: folder.appending(path: "query.sqlite").path)
  try realm.insert(rows, perTransaction: 100_000)
  try raw.insert(rows, perTransaction: 100_000)
  try check { raw_execute(raw.pointer, "CREATE INDEX assignee ON Task (assignee)", $0) }
  let querying = Querying(rowCount: rows.count, realm: realm, raw: raw, repetitions: options.repetitions)
  let scan = (
    query: "progressMinutes > 240 AND completed == false", sql: "progressMinutes > 240 AND completed = 0"
  )
  let lookUp = (query: "assignee == 'person07'", sql: "assignee = 'person07'")
  return [
    try querying.count("query that scans, count", scan.query, scan.sql),
    try querying.read("query that scans, read each object", scan.query, scan.sql),
    try querying.count("query by an indexed property, count", lookUp.query, lookUp.sql),
    try querying.read("query by an indexed property, read each object", lookUp.query, lookUp.sql),
    try querying.read(
      "query, sort by 1 property, first 100",
      "\(scan.query) SORT(progressMinutes DESC) LIMIT(100)",
      "\(scan.sql) ORDER BY progressMinutes DESC, row LIMIT 100"
    ),
    try querying.parse(),
  ]
}

private struct Querying {
  let rowCount: Int
  let realm: OpenRealm
  let raw: RawFile
  let repetitions: Int

  func count(_ name: String, _ query: String, _ condition: String) throws -> Figure {
    var tasks = realm.tasks
    var found = (flexSync: 0, raw: Int64(0))
    var rows = 0
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { _ in
          try seconds { try check { task_realm_query_count(&tasks, query, &found.flexSync, $0) } }
        },
        Contender { _ in
          let sql = "SELECT count(*) FROM Task WHERE \(condition)"
          return try seconds { try check { raw_query(raw.pointer, sql, &rows, &found.raw, $0) } }
        },
      ]
    )
    try require("objects counted", Int64(found.flexSync), found.raw)
    return figure("\(name), \(found.flexSync) of \(rowCount) objects", samples)
  }

  func read(_ name: String, _ query: String, _ condition: String) throws -> Figure {
    var tasks = realm.tasks
    var counts = (flexSync: 0, raw: 0)
    var sums = (flexSync: Int64(0), raw: Int64(0))
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { _ in
          try seconds {
            try check { task_realm_query_read(&tasks, query, &counts.flexSync, &sums.flexSync, $0) }
          }
        },
        Contender { _ in
          let sql = "SELECT progressMinutes FROM Task WHERE \(condition)"
          return try seconds { try check { raw_query(raw.pointer, sql, &counts.raw, &sums.raw, $0) } }
        },
      ]
    )
    try require("objects read", counts.flexSync, counts.raw)
    try require("minutes read", sums.flexSync, sums.raw)
    return figure("\(name), \(counts.flexSync) of \(rowCount) objects", samples)
  }

  private func figure(_ quantity: String, _ samples: [Samples]) -> Figure {
    Figure(
      quantity: quantity,
      unit: .milliseconds,
      flexSync: samples[0],
      comparison: "the same SQL",
      raw: samples[1]
    )
  }

  /// A typical subscription.
  func parse() throws -> Figure {
    let count = 20_000
    let query = "assignee == 'person07' AND completed == false AND progressMinutes > 120"
    let sql = "SELECT row FROM Task WHERE assignee = 'person07' AND completed = 0 AND progressMinutes > 120"
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { _ in try seconds { try check { parse_query(query, count, $0) } } },
        Contender { _ in try seconds { try check { raw_prepare(raw.pointer, sql, count, $0) } } },
      ]
    )
    return Figure(
      quantity: "parse the query of a subscription",
      unit: .rate(of: "parses"),
      flexSync: samples[0].perItem(count),
      comparison: "sqlite3_prepare of the same",
      raw: samples[1].perItem(count)
    )
  }
}
