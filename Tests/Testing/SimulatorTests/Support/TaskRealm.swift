// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncWire

let taskSchema = Schema([
  ClassSchema(
    name: "Task",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [
      PropertySchema(name: "title", type: .string),
      PropertySchema(name: "tags", type: .string, collection: .list),
      PropertySchema(name: "counts", type: .int, collection: .dictionary),
    ]
  )
])

/// A class that a client adds.
let noteSchema = Schema([
  ClassSchema(
    name: "Note",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [PropertySchema(name: "text", type: .string)]
  )
])

extension MountedDisk {
  /// Opens a realm whose cache holds next to nothing, so that it has to read.
  func openRealm(synchronous: DatabaseConfiguration.Synchronous = .normal) throws -> RealmFile {
    var configuration = configuration(synchronous: synchronous)
    configuration.cacheKibibytes = 1
    return try RealmFile.open(configuration, owner: .synced(appID: "app", userID: "ann"))
  }
}

extension RealmFile {
  func declareTasks() throws {
    try database.write { try objects.declare(taskSchema) }
    try setFileIdent(SaltedFileIdent(ident: 2, salt: 4242))
  }

  /// Applies and records instructions, as the app's write transaction does.
  func writeLocally(_ instructions: [Instruction]) throws {
    try database.write {
      try objects.apply(instructions)
      try recordLocalChanges(instructions, timestamp: 100)
    }
  }
}

func task(_ key: Int64) -> ObjectReference { ObjectReference(table: "Task", key: .int(key)) }

/// Makes tasks with tags, and a text that fills a part of a page.
func makeTasks(_ keys: ClosedRange<Int64>, title: String = "a task") -> [Instruction] {
  keys.flatMap { key -> [Instruction] in
    [
      .createObject(task(key)),
      .update(
        PropertyPath(object: task(key), field: "title", path: []),
        .value(.string(title + String(repeating: ".", count: 500))),
        .isDefault(false)
      ),
      .arrayInsert(
        PropertyPath(object: task(key), field: "tags", path: [.index(0)]),
        .value(.string("tag")),
        priorSize: 0
      ),
    ]
  }
}

func incoming(_ serverVersion: UInt64, base: UInt64 = 0, _ instructions: [Instruction]) -> DownloadEntry {
  DownloadEntry(
    serverVersion: serverVersion,
    clientVersion: base,
    timestamp: 200,
    originFileIdent: 1,
    changeset: ChangesetCodec.encode(instructions)
  )
}

func progress(server: UInt64) -> SyncProgress {
  var progress = SyncProgress.start
  progress.download.serverVersion = server
  progress.latest.serverVersion = server
  progress.latest.salt = -77
  return progress
}

let subscription = StoredSubscription(
  id: ObjectId(high: 1, low: 2),
  name: nil,
  className: "Task",
  query: "TRUEPREDICATE",
  createdAt: Timestamp(milliseconds: 0)
)
