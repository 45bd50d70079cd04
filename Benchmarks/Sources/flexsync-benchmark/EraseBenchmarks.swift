// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops
import Foundation
import RawSQLite

/// Deletes all objects of a class through results, compared with deleting the same rows one by one.
func eraseBenchmarks(_ options: Options, in folder: URL) throws -> [Figure] {
  let count = options.isQuick ? 20_000 : 1_000_000
  let rows = makeTasks(count, from: 0)
  let realm = try OpenRealm(path: folder.appending(path: "erase.flexsync").path)
  let raw = try RawFile(path: folder.appending(path: "erase.sqlite").path)
  var tasks = realm.tasks
  let samples = try measure(
    repetitions: min(options.repetitions, 3),
    [
      Contender { _ in
        try realm.insert(rows, perTransaction: 100_000)
        return try seconds { try check { task_realm_delete_all(&tasks, $0) } }
      },
      Contender { _ in
        try raw.insert(rows, perTransaction: 100_000)
        return try seconds { try check { raw_delete_each(raw.pointer, $0) } }
      },
    ]
  )
  try require("objects left", try realm.count(), 0)
  try require("rows left", try raw.count(), 0)
  return [
    Figure(
      quantity: "erase all of \(count) objects, local realm",
      unit: .microseconds(per: "object"),
      flexSync: samples[0].perItem(count),
      comparison: "raw DELETE of each row",
      raw: samples[1].perItem(count)
    )
  ]
}
