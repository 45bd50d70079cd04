// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncLoops
import Foundation
import RawSQLite

/// The class Task of Examples/TaskTracker for the Swift layer.
final class Task: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var taskName: String
  @Persisted var assignee: String?
  @Persisted var completed: Bool
  @Persisted var progressMinutes: Int
  @Persisted var dueDate: Date
}

/// Reading: point lookups, scans and queries of the same rows.
func readBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let rows = makeTasks(options.isQuick ? 10_000 : 50_000, from: 0)
  let path = folder.appending(path: "read.flexsync").path
  let realm = try OpenRealm(path: path)
  let raw = try RawFile(path: folder.appending(path: "read.sqlite").path)
  try realm.insert(rows, perTransaction: rows.count)
  try raw.insert(rows, perTransaction: rows.count)
  let reading = Reading(rows: rows, realm: realm, raw: raw, repetitions: options.repetitions)
  return [try reading.lookUps()] + (try reading.scans(realmPath: path)) + [try reading.queries()]
}

private struct Reading {
  let rows: [task_row_t]
  let realm: OpenRealm
  let raw: RawFile
  let repetitions: Int

  func lookUps() throws -> Figure {
    let count = min(20_000, rows.count)
    var order = [UInt32](repeating: 0, count: rows.count)
    workload_shuffle(&order, rows.count, 1)
    var tasks = realm.tasks
    var sums = (flexSync: Int64(0), raw: Int64(0))
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { _ in
          try seconds { try check { task_realm_look_up(&tasks, rows, order, count, &sums.flexSync, $0) } }
        },
        Contender { _ in
          try seconds { try check { raw_look_up(raw.pointer, rows, order, count, &sums.raw, $0) } }
        },
      ]
    )
    try require("minutes looked up", sums.flexSync, sums.raw)
    return Figure(
      quantity: "find by primary key, read 1 property",
      unit: .microseconds(per: "object"),
      flexSync: samples[0].perItem(count),
      comparison: "raw SELECT by id",
      raw: samples[1].perItem(count)
    )
  }

  func scans(realmPath: String) throws -> [Figure] {
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: realmPath),
      objectTypes: [Task.self]
    )
    let swiftRealm = try Realm(configuration: configuration)
    var tasks = realm.tasks
    var sums = (c: task_sums_t(), batches: task_sums_t(), swift: task_sums_t(), raw: task_sums_t())
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { _ in try seconds { try check { task_realm_scan(&tasks, &sums.c, $0) } } },
        Contender { _ in try seconds { try check { task_realm_scan_batches(&tasks, &sums.batches, $0) } } },
        Contender { _ in seconds { sums.swift = scan(swiftRealm) } },
        Contender { _ in try seconds { try check { raw_scan(raw.pointer, &sums.raw, $0) } } },
      ]
    ).map { $0.perItem(rows.count) }
    try require("objects scanned", sums.raw.count, rows.count)
    for (name, found) in [("C", sums.c), ("C in batches", sums.batches), ("Swift", sums.swift)] {
      try require("objects scanned in \(name)", found.count, sums.raw.count)
      try require("bytes of text scanned in \(name)", found.name_bytes, sums.raw.name_bytes)
      try require("minutes scanned in \(name)", found.progress_minutes, sums.raw.progress_minutes)
      try require("completed tasks scanned in \(name)", found.completed, sums.raw.completed)
    }
    return zip(["C interface", "C interface in batches", "Swift layer"], samples).map { name, flexSync in
      Figure(
        quantity: "scan all objects, read 3 properties, \(name)",
        unit: .microseconds(per: "object"),
        flexSync: flexSync,
        comparison: "raw SELECT of 3 columns",
        raw: samples[3]
      )
    }
  }

  private func scan(_ realm: Realm) -> task_sums_t {
    var sums = task_sums_t()
    for task in realm.objects(Task.self) {
      sums.count += 1
      sums.name_bytes += UInt64(task.taskName.utf8.count)
      sums.completed += task.completed ? 1 : 0
      sums.progress_minutes += Int64(task.progressMinutes)
    }
    return sums
  }

  func queries() throws -> Figure {
    let count = 20
    var tasks = realm.tasks
    var found = (flexSync: 0, raw: 0)
    let samples = try measure(
      repetitions: repetitions,
      [
        Contender { repetition in
          found.flexSync = 0
          return try seconds {
            for query in 0..<count {
              found.flexSync += try matching(repetition, query) {
                task_realm_count_matching(&tasks, $0, $1, $2, $3)
              }
            }
          }
        },
        Contender { repetition in
          found.raw = 0
          return try seconds {
            for query in 0..<count {
              found.raw += try matching(repetition, query) { raw_count_matching(raw.pointer, $0, $1, $2, $3) }
            }
          }
        },
      ]
    )
    try require("objects that match", found.flexSync, found.raw)
    return Figure(
      quantity: "query with 3 conditions, count, of \(rows.count) objects",
      unit: .microseconds(per: "query"),
      flexSync: samples[0].perItem(count),
      comparison: "the same SQL, prepared",
      raw: samples[1].perItem(count)
    )
  }

  /// Counts matching objects with arguments that no earlier query has used.
  private func matching(
    _ repetition: Int,
    _ query: Int,
    _ work: (UnsafePointer<CChar>, Int64, UnsafeMutablePointer<Int>, UnsafeMutablePointer<work_error_t>) ->
      Bool
  ) throws -> Int {
    var assignee = [CChar](repeating: 0, count: 16)
    workload_assignee(&assignee, UInt32(query))
    var count = 0
    try check { work(assignee, Int64(100 + repetition), &count, $0) }
    return count
  }
}
