// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncStore
import FlexSyncWire

/// Limits on how much a client may send at once (protocol §11). A client that exceeded them would send the same again
/// forever, so it receives an error that makes it stop.
package struct UploadLimits {
  /// The maximum size of a message: larger than that of a changeset, so that a changeset that is too long gets an
  /// error of its own.
  package let messageByteCount: Int
  /// The maximum size of a changeset, and so of a write transaction.
  let changesetByteCount: Int

  package init(_ limits: ServerLimits = ServerLimits()) {
    messageByteCount = limits.messageByteCount + MessageLimits.headByteCount
    changesetByteCount = limits.changesetByteCount
  }

  /// Returns the connection error for a message that is too long to be read at all.
  package func refusal(of version: SyncProtocolVersion) -> [UInt8] {
    let info = ErrorInfo(
      message:
        "The server does not accept messages of more than \(messageByteCount) bytes. Use smaller write "
        + "transactions.",
      action: .protocolViolation,
      tryAgain: false
    )
    return ServerMessage.error(ErrorMessage(code: .badChangesetSize, session: 0, info: info))
      .encode(version: version)
  }

  /// - Throws: `SessionFailure` for a changeset that is too long.
  func check(_ changeset: [UInt8]) throws {
    guard changeset.count > changesetByteCount else { return }
    throw SessionFailure.badChangeset(
      "a write transaction has \(changeset.count) bytes of changes; the server accepts at most "
        + "\(changesetByteCount). Split it into several transactions"
    )
  }
}
