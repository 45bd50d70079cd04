// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore
import FlexSyncWire

/// The salt of the latest server version, which clients present with what they have. It tells whether that comes from
/// this server, and from the stream of which file.
struct StreamSalt {
  /// One for the life of the data, not 0.
  let serverSalt: Int64

  /// The salt that goes with the versions of a file's stream.
  func salt(of file: ClientFileRecord) -> Int64 {
    // 0 is none, and a server's salt alone is that of older versions of this software.
    file.salt == serverSalt ? serverSalt : file.salt ^ serverSalt
  }

  /// The salt of the file with a version in its stream; nil if that cannot be told.
  func fileSalt(of latest: LatestServerVersion) -> Int64? {
    latest.salt == serverSalt ? nil : latest.salt ^ serverSalt
  }

  /// Whether a client that presents a file may know of a version.
  func isKnown(_ latest: LatestServerVersion, to file: ClientFileRecord) -> Bool {
    guard let fileSalt = fileSalt(of: latest) else { return true }
    return fileSalt == file.salt || fileSalt == file.sourceSalt
  }
}
