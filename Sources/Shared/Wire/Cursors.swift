// SPDX-License-Identifier: Apache-2.0

/// The position up to which a client has integrated the server's stream (protocol §5.1).
public struct DownloadCursor: Hashable, Sendable {
  /// The version in the stream up to which the client has integrated everything.
  public var serverVersion: ServerVersion
  /// The latest client version that the server had integrated before this point of the stream.
  public var clientVersion: ClientVersion

  public init(serverVersion: ServerVersion, clientVersion: ClientVersion) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
  }

  public static let start = DownloadCursor(serverVersion: 0, clientVersion: 0)
}

/// The position up to which the server has integrated a client's changes, or up to which they have been sent
/// (protocol §5.1).
public struct UploadCursor: Hashable, Sendable {
  public var clientVersion: ClientVersion
  /// The download cursor's server version at that client version.
  public var serverVersion: ServerVersion

  public init(clientVersion: ClientVersion, serverVersion: ServerVersion) {
    self.clientVersion = clientVersion
    self.serverVersion = serverVersion
  }

  public static let start = UploadCursor(clientVersion: 0, serverVersion: 0)
}

/// The end of the server's stream. The salt allows the server to detect that it was restored from a backup.
public struct LatestServerVersion: Hashable, Sendable {
  public var serverVersion: ServerVersion
  public var salt: Int64

  public init(serverVersion: ServerVersion, salt: Int64) {
    self.serverVersion = serverVersion
    self.salt = salt
  }

  public static let none = LatestServerVersion(serverVersion: 0, salt: 0)
}

/// The three cursors that a client persists along with the data (protocol §5.1).
public struct SyncProgress: Hashable, Sendable {
  public var download: DownloadCursor
  public var upload: UploadCursor
  public var latest: LatestServerVersion

  public init(download: DownloadCursor, upload: UploadCursor, latest: LatestServerVersion) {
    self.download = download
    self.upload = upload
    self.latest = latest
  }

  public static let start = SyncProgress(download: .start, upload: .start, latest: .none)
}

/// The identity of a client's file: a number and a random integer, both assigned by the server and never 0.
public struct SaltedFileIdent: Hashable, Sendable {
  public var ident: FileIdent
  public var salt: Int64

  public init(ident: FileIdent, salt: Int64) {
    self.ident = ident
    self.salt = salt
  }
}
