// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Identifies one binding of a session. The session's number on the connection may be bound again, and late answers
/// from the host must not reach the next binding.
public struct SessionKey: Hashable, Sendable {
  public let session: SessionIdent
  /// The number of the binding, counted per connection.
  public let binding: UInt64
}

/// The state in which a client resumes; the host's answer to `identify`.
public struct ResumeState: Hashable, Sendable {
  /// The cursor of the uploads that the server has integrated from this client.
  public var upload: UploadCursor
  /// The end of the server's stream, and its salt.
  public var latest: LatestServerVersion
}

/// A part of a client's stream to send. The session adds the upload cursor last reported by the host.
public struct DownloadBatch: Hashable, Sendable {
  /// The download cursor after the batch.
  public var download: DownloadCursor
  public var latest: LatestServerVersion
  /// The subscription set being bootstrapped, or the one in force.
  public var queryVersion: QueryVersion
  public var batchState: BatchState
  /// The progress, from 0 to 1.
  public var progressEstimate = 1.0
  /// The entries. The batches of a bootstrap must contain at least one entry between them, which may be empty
  /// (protocol §4.3).
  public var entries: [DownloadEntry]
}

extension ServerConnection {
  /// An event on a connection. Events for a binding that no longer exists or whose session has failed are ignored.
  public enum Event: Hashable, Sendable {
    /// A binary message from the client.
    case received([UInt8])
    /// The TCP connection ended. All sessions end.
    case closed

    /// Answers `allocateFileIdent`.
    case fileIdentAllocated(SessionKey, SaltedFileIdent)
    /// Answers `identify`. `catchUp` follows, for which the host delivers the bootstrap of version 0 or everything
    /// after the client's download cursor.
    case identified(SessionKey, ResumeState)
    /// Answers `integrateUpload`, in the order of the uploads. One answer may cover several uploads.
    case uploadIntegrated(SessionKey, UploadCursor)
    /// Answers `changeQuery` if the query is refused. Otherwise the bootstrap is the answer.
    case queryFailed(SessionKey, QueryVersion, code: ErrorCode = .badQuery, message: String)
    /// Answers `catchUp`: everything in the stream has been delivered. Carries the cursor and the version at its end.
    /// The server version of the cursor must be the last one delivered, unless the host intends to move it (protocol
    /// §5.2).
    case caughtUp(SessionKey, DownloadCursor, LatestServerVersion)

    /// The next part of the stream. May arrive at any time after `identified`, but only after `uploadIntegrated` of
    /// every upload that its cursors and entries build on.
    case deliver(SessionKey, DownloadBatch)
    /// A write was rejected. Must precede the steady batch with the entry that reverts the write (protocol §8.1).
    case compensatingWrite(SessionKey, ErrorInfo)
    /// Ends the session with an error: because `allocateFileIdent`, `identify` or `integrateUpload` failed, in answer
    /// to `clientFailed`, or on the host's own initiative.
    case fail(SessionKey, ErrorCode, ErrorInfo)
    /// Ends the connection with a connection-level error.
    case failConnection(ErrorCode, ErrorInfo)
  }

  /// An action for the host, to be performed in order. The host may answer immediately or later; answers for one
  /// session must keep their order.
  public enum Effect: Hashable, Sendable {
    /// Encode the message for the protocol version of the connection and send it.
    case send(ServerMessage)
    /// Allocate an ident for a new file. Answer: `fileIdentAllocated` or `fail`.
    case allocateFileIdent(SessionKey, BindOptions)
    /// Check the file, its salt, its owner and its cursors, and end any session for the same file on another
    /// connection. Answer: `identified`, or `fail` with 208 (unknown file or salt), 209, 210, 211, 222 or 223.
    case identify(SessionKey, IdentMessage, BindOptions, QuerySet)
    /// Integrate the entries and record the progress, even if there are no entries. Entries that are already
    /// integrated have been removed. Answer: `uploadIntegrated` or `fail`.
    case integrateUpload(SessionKey, UploadMessage)
    /// Evaluate a newer subscription set. Older ones that are not bootstrapped yet may be skipped. Answer: `deliver`
    /// with the bootstrap, or `queryFailed`.
    case changeQuery(SessionKey, QueryVersion, QuerySet)
    /// Deliver everything in the stream for the client. Answer: `caughtUp`.
    case catchUp(SessionKey)
    /// The client cannot integrate what it received and will do nothing further. The host should answer with `fail`,
    /// for example 217 with a client reset.
    case clientFailed(SessionKey, ErrorCode, message: String)
    /// The binding no longer exists and can be forgotten. Nothing more is sent for it.
    case sessionEnded(SessionKey)
    /// Close the TCP connection after sending all messages. The reason is for the log.
    case closeConnection(reason: String)
    /// The host did something that would break the client, and the session was ended with an error. For the log.
    case hostViolation(SessionKey, String)
  }
}
