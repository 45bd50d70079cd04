// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire
import Logging

/// The client files that the server remembers.
extension SyncEngine {
  /// Allocates a new file for a session.
  ///
  /// A client keeps the ident forever and may return with it after years, so the server remembers it for as long as
  /// it can. But any logged-in user can request any number of idents, so the number per user is limited. Beyond the
  /// limit, files that were never used are forgotten first, because a client that presents one later has nothing to
  /// lose by starting over. So requesting idents in a loop displaces only what the loop itself has created. Files
  /// with a session are never forgotten.
  ///
  /// - Throws: `SessionFailure` if all files of the user are in use.
  func allocateFile(_ session: EngineSession) throws {
    let room = try store.makeRoomForFile(of: session.userID, maximumCount: filesPerUser) { live[$0] != nil }
    guard room.hasRoom else { throw SessionFailure.tooManyFiles }
    if !room.forgotten.isEmpty {
      let files = room.forgotten.map { "\($0)" }.joined(separator: ", ")
      let details = metadata(session, ["forgotten": "\(files)"])
      afterCommit.append { [logger] in
        logger.notice("forgot client files of a user who has too many", metadata: details)
      }
    }
    let file = try store.insertFile(
      userID: session.userID,
      salt: salts.next(),
      placedVersion: history.version,
      now: clock.seconds
    )
    let salted = SaltedFileIdent(ident: file.ident, salt: file.salt)
    afterCommit.append { session.peer?.post(.fileIdentAllocated(session.key, salted)) }
  }
}

extension SessionFailure {
  /// The failure when all of a user's files are in use. The code for limits, 224, aborts Realm's clients (protocol
  /// §3.5).
  fileprivate static let tooManyFiles = later(
    .otherSessionError,
    "LimitsExceeded: the user has the maximum number of client files, and all of them are connected; try again "
      + "when one has disconnected"
  )
}
