// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Names one binding of a session: its number on the connection may be bound again, and answers of the host that come
/// late must not reach the next binding.
public struct SessionKey: Hashable, Sendable {
  public let session: SessionIdent
  /// Counts the bindings of the connection.
  public let binding: UInt64
}

/// Where a client resumes; the host's answer to `identify`.
public struct ResumeState: Hashable, Sendable {
  /// What the server has integrated from this client.
  public var upload: UploadCursor
  /// The end of the server's stream and its salt.
  public var latest: LatestServerVersion

  public init(upload: UploadCursor, latest: LatestServerVersion) {
    self.upload = upload
    self.latest = latest
  }
}

/// A part of a client's stream to send. The upload cursor is added from what the host said last.
public struct DownloadBatch: Hashable, Sendable {
  /// The download cursor after the batch.
  public var download: DownloadCursor
  public var latest: LatestServerVersion
  /// The set that is bootstrapped, or the one in force.
  public var queryVersion: QueryVersion
  public var batchState: BatchState
  /// 0 to 1.
  public var progressEstimate: Double
  /// A bootstrap must have at least one entry in all its batches together; it may be empty (protocol §4.3).
  public var entries: [DownloadEntry]

  public init(
    download: DownloadCursor,
    latest: LatestServerVersion,
    queryVersion: QueryVersion,
    batchState: BatchState,
    progressEstimate: Double = 1,
    entries: [DownloadEntry]
  ) {
    self.download = download
    self.latest = latest
    self.queryVersion = queryVersion
    self.batchState = batchState
    self.progressEstimate = progressEstimate
    self.entries = entries
  }
}

extension ServerConnection {
  /// What happens to a connection. Events for a binding that is gone, or whose session has failed, are ignored.
  public enum Event: Hashable, Sendable {
    /// A binary message of the client.
    case received([UInt8])
    /// TCP ended. All sessions end.
    case closed

    /// Answers `allocateFileIdent`.
    case fileIdentAllocated(SessionKey, SaltedFileIdent)
    /// Answers `identify`. `catchUp` follows: the host delivers the bootstrap of version 0 or what comes after the
    /// client's download cursor.
    case identified(SessionKey, ResumeState)
    /// Answers `integrateUpload`, in the order of the uploads; one answer may stand for several.
    case uploadIntegrated(SessionKey, UploadCursor)
    /// Answers `changeQuery` if the query is refused; otherwise the bootstrap answers it.
    case queryFailed(SessionKey, QueryVersion, code: ErrorCode = .badQuery, message: String)
    /// Answers `catchUp`: everything in the stream has been delivered; the cursor and the version at its end. The
    /// server version of the cursor is the one delivered last, unless the host really wants to move it (protocol §5.2).
    case caughtUp(SessionKey, DownloadCursor, LatestServerVersion)

    /// The next part of the stream, at any time after `identified`; after `uploadIntegrated` of every upload that its
    /// cursors and entries build on.
    case deliver(SessionKey, DownloadBatch)
    /// A write was rejected. Comes before the steady batch with the entry that takes it back (protocol §8.1).
    case compensatingWrite(SessionKey, ErrorInfo)
    /// Ends the session with an error: the answer to `allocateFileIdent`, `identify`, `integrateUpload` or
    /// `clientFailed` if it fails, or of the host's own accord.
    case fail(SessionKey, ErrorCode, ErrorInfo)
    /// Ends the connection with an error of the connection.
    case failConnection(ErrorCode, ErrorInfo)
  }

  /// What the host must do, in this order. It may answer at once or later; answers of one session keep their order.
  public enum Effect: Hashable, Sendable {
    /// Encode for the version of the connection and send.
    case send(ServerMessage)
    /// Allocate an ident for a new file. Answer: `fileIdentAllocated` or `fail`.
    case allocateFileIdent(SessionKey, BindOptions)
    /// Check the file, its salt, its owner and its cursors, and end any session of another connection for the same
    /// file. Answer: `identified`, or `fail` with 208 (unknown file or salt), 209, 210, 211, 222 or 223.
    case identify(SessionKey, IdentMessage, BindOptions, QuerySet)
    /// Integrate the entries and record the progress, also if there is no entry. Entries that are integrated already
    /// have been left out. Answer: `uploadIntegrated` or `fail`.
    case integrateUpload(SessionKey, UploadMessage)
    /// Evaluate a newer set; older ones that are not bootstrapped yet may be skipped. Answer: `deliver` with the
    /// bootstrap, or `queryFailed`.
    case changeQuery(SessionKey, QueryVersion, QuerySet)
    /// Deliver everything that the stream has for the client. Answer: `caughtUp`.
    case catchUp(SessionKey)
    /// The client cannot integrate what it received and does nothing more. The host should answer with `fail`, for
    /// instance 217 with a client reset.
    case clientFailed(SessionKey, ErrorCode, message: String)
    /// The binding is gone: forget it. Nothing more is sent for it.
    case sessionEnded(SessionKey)
    /// Close TCP after what was sent; the reason is for the log.
    case closeConnection(reason: String)
    /// The host did what would break the client; the session was ended with an error. For the log.
    case hostViolation(SessionKey, String)
  }
}
