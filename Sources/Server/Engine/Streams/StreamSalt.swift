// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore
import FlexSyncWire

/// The salt of the latest server version, which clients present together with their state. It shows whether that
/// state comes from this server, and from which file's stream.
struct StreamSalt {
  /// The salt for the lifetime of the data; not 0.
  let serverSalt: Int64

  /// Returns the salt that accompanies the versions of a file's stream.
  func salt(of file: ClientFileRecord) -> Int64 {
    // 0 means none, and older versions of this software use the server's salt alone.
    file.salt == serverSalt ? serverSalt : file.salt ^ serverSalt
  }

  /// Returns the salt of the file whose stream contains a version; nil if it cannot be determined.
  func fileSalt(of latest: LatestServerVersion) -> Int64? {
    latest.salt == serverSalt ? nil : latest.salt ^ serverSalt
  }

  /// Whether a client that presents a file may know of a version.
  func isKnown(_ latest: LatestServerVersion, to file: ClientFileRecord) -> Bool {
    guard let fileSalt = fileSalt(of: latest) else { return true }
    return fileSalt == file.salt || fileSalt == file.sourceSalt
  }
}
