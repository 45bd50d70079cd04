// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
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
  /// The maximum number of instructions in a changeset.
  let instructionCount: Int

  package init(_ limits: ServerLimits = ServerLimits()) {
    messageByteCount = limits.messageByteCount + MessageLimits.headByteCount
    changesetByteCount = limits.changesetByteCount
    instructionCount = limits.instructionCount
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

  /// Reads a changeset.
  ///
  /// - Throws: `SessionFailure` for a changeset that is too long or none at all.
  func decode(_ changeset: [UInt8]) throws -> DecodedChangeset {
    guard changeset.count <= changesetByteCount else {
      throw SessionFailure.badChangeset(
        "a write transaction has \(changeset.count) bytes of changes; the server accepts at most "
          + "\(changesetByteCount) (limit changeset-bytes). Split it into several transactions"
      )
    }
    do throws(ChangesetError) {
      return try ChangesetCodec.decode(changeset, maximumCount: instructionCount)
    } catch  where error.hasTooManyInstructions {
      throw SessionFailure.badChangeset(
        "a write transaction has more than \(instructionCount) instructions, which is all that the server accepts "
          + "(limit instructions-per-changeset). Split it into several transactions"
      )
    } catch {
      throw SessionFailure.badChangeset("\(error)")
    }
  }
}
