// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncWire

let syncedOwner = RealmOwner.synced(appID: "app", userID: "ann")

extension TemporaryFolder {
  func openRealm(owner: RealmOwner = syncedOwner) throws -> RealmFile {
    try RealmFile.open(
      DatabaseConfiguration(
        location: .file(file("test.flexsync")),
        application: .realm,
        busyTimeoutMilliseconds: 200
      ),
      owner: owner
    )
  }

  /// A realm with the task schema, an ident, and no history.
  func openTaskRealm() throws -> RealmFile {
    let realm = try openRealm()
    try realm.database.write { try realm.objects.declare(taskSchema) }
    try realm.setFileIdent(SaltedFileIdent(ident: 2, salt: 4242))
    return realm
  }
}

extension RealmFile {
  /// Applies and records instructions, as the app's write transaction does.
  @discardableResult
  func writeLocally(_ instructions: [Instruction], timestamp: UInt64 = 100) throws -> UInt64 {
    try database.write {
      try objects.apply(instructions)
      return try recordLocalChanges(instructions, timestamp: timestamp)
    }
  }
}

func setTitle(_ key: Int64, _ title: String) -> Instruction {
  .update(task(key).at("title"), .value(.string(title)), .isDefault(false))
}

func entry(
  _ serverVersion: UInt64,
  base: UInt64,
  timestamp: UInt64 = 200,
  _ instructions: [Instruction]
) -> DownloadEntry {
  DownloadEntry(
    serverVersion: serverVersion,
    clientVersion: base,
    timestamp: timestamp,
    originFileIdent: 1,
    changeset: ChangesetCodec.encode(instructions)
  )
}

func progress(server: UInt64, base: UInt64 = 0, upload: UInt64 = 0) -> SyncProgress {
  var progress = SyncProgress.start
  progress.download.serverVersion = server
  progress.download.clientVersion = base
  progress.upload.clientVersion = upload
  progress.latest.serverVersion = server
  progress.latest.salt = -77
  return progress
}

func subscription(_ className: String, _ query: String = "TRUEPREDICATE", name: String? = nil)
  -> StoredSubscription
{
  var subscription = StoredSubscription(
    id: ObjectId(high: 1, low: 2),
    name: name,
    className: className,
    query: query,
    createdAt: Timestamp(milliseconds: -1500)
  )
  subscription.updatedAt = Timestamp(milliseconds: 1500)
  return subscription
}
