// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncStorage

// What the file stores, in the words of the protocol, and back.

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
  /// What the server is asked for: for each class the distinct queries, sorted, each in parentheses, joined with OR
  /// (protocol §4.1).
  init(_ subscriptions: [StoredSubscription]) {
    self.init(
      Dictionary(grouping: subscriptions, by: \.className).mapValues { subscriptions in
        var queries: [String] = []
        for query in subscriptions.map(\.query).sorted(by: UTF8Order.isLess) {
          if let last = queries.last, UTF8Order.areEqual(last, query) { continue }
          queries.append(query)
        }
        return queries.map { "(\($0))" }.joined(separator: " OR ")
      }
    )
  }
}
