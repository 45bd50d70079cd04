// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncWire

// Conversions between the stored types and those of the protocol.

extension SyncProgress {
  init(_ stored: RealmProgress) {
    self.init(
      download: DownloadCursor(
        serverVersion: stored.downloadServerVersion,
        clientVersion: stored.downloadClientVersion
      ),
      upload: UploadCursor(
        clientVersion: stored.uploadClientVersion,
        serverVersion: stored.uploadServerVersion
      ),
      latest: LatestServerVersion(serverVersion: stored.latestServerVersion, salt: stored.latestServerSalt)
    )
  }
}

extension RealmProgress {
  init(_ progress: SyncProgress) {
    self.init()
    downloadServerVersion = progress.download.serverVersion
    downloadClientVersion = progress.download.clientVersion
    uploadClientVersion = progress.upload.clientVersion
    uploadServerVersion = progress.upload.serverVersion
    latestServerVersion = progress.latest.serverVersion
    latestServerSalt = progress.latest.salt
  }
}

extension IncomingChangeset {
  init(_ entry: DownloadEntry) {
    self.init(
      serverVersion: entry.serverVersion,
      clientVersion: entry.clientVersion,
      stamp: OriginStamp(timestamp: entry.timestamp, fileIdent: entry.originFileIdent),
      bytes: entry.changeset
    )
  }
}

extension UploadEntry {
  init(_ change: OutgoingChangeset) {
    self.init(
      clientVersion: change.clientVersion,
      serverVersion: change.serverVersion,
      timestamp: change.timestamp,
      changeset: change.bytes
    )
  }
}

extension QuerySet {
  /// Combines subscriptions into the queries sent to the server.
  init(_ subscriptions: [StoredSubscription]) {
    let queries = QuerySetBody.combine(subscriptions.map { (className: $0.className, text: $0.query) })
    self.init(Dictionary(uniqueKeysWithValues: queries.map { ($0.className, $0.text) }))
  }
}
