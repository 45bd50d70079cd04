// SPDX-License-Identifier: Apache-2.0

/// The checks of a DOWNLOAD's cursors and entries (protocol §5.1).
package struct DownloadCheck {
  /// The cursors of the preceding message, or the stored ones.
  let previous: SyncProgress
  let ownFileIdent: FileIdent
  /// The client's latest version, if it is known.
  package var localVersion = ClientVersion.max
  /// Whether batches of an incomplete bootstrap have arrived.
  package var isInsideBootstrap = false

  package init(previous: SyncProgress, ownFileIdent: FileIdent) {
    self.previous = previous
    self.ownFileIdent = ownFileIdent
  }

  /// Returns a description of the rule that the message violates, or nil if it violates none.
  package func violation(of message: DownloadMessage) -> String? {
    cursorViolation(of: message) ?? entryViolation(of: message)
  }

  private func cursorViolation(of message: DownloadMessage) -> String? {
    let download = message.download
    let upload = message.upload
    if message.latest.serverVersion < previous.latest.serverVersion {
      return "the latest server version decreases"
    }
    if download.serverVersion < previous.download.serverVersion { return "the download cursor decreases" }
    if download.clientVersion < previous.download.clientVersion {
      return "the client version of the download cursor decreases"
    }
    if upload.clientVersion < previous.upload.clientVersion { return "the upload cursor decreases" }
    if download.serverVersion > message.latest.serverVersion {
      return "the download cursor is beyond the latest server version"
    }
    if download.clientVersion > upload.clientVersion {
      return "the client version of the download cursor is beyond the upload cursor"
    }
    if download.serverVersion < upload.serverVersion {
      return "the server version of the upload cursor is beyond the download cursor"
    }
    if upload.clientVersion > localVersion {
      return "client version \(upload.clientVersion) does not exist, the newest is \(localVersion)"
    }
    // Its cursors would be stored, but the bootstrap would be lost with the connection (protocol §4.3).
    if isInsideBootstrap && message.batchState == .steady { return "a change in the middle of a bootstrap" }
    return nil
  }

  private func entryViolation(of message: DownloadMessage) -> String? {
    var serverVersion = previous.download.serverVersion
    var clientVersion = previous.download.clientVersion
    for entry in message.entries {
      let isIncreasing =
        message.batchState == .steady
        ? entry.serverVersion > serverVersion : entry.serverVersion >= serverVersion
      guard isIncreasing, entry.serverVersion <= message.download.serverVersion else {
        return "server version \(entry.serverVersion) of a changeset is out of order"
      }
      guard entry.clientVersion >= clientVersion, entry.clientVersion <= message.download.clientVersion else {
        return "client version \(entry.clientVersion) of a changeset is out of order"
      }
      guard entry.originFileIdent != 0, entry.originFileIdent != ownFileIdent else {
        return "a changeset has origin file ident \(entry.originFileIdent)"
      }
      serverVersion = entry.serverVersion
      clientVersion = entry.clientVersion
    }
    return nil
  }
}
