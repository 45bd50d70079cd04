// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncServerSupport

/// The secret that signs tokens: created on the first start, stored in the data folder, readable by its owner only.
package enum SigningKey {
  private static let byteCount = 32

  private static func path(in folder: String) -> String { "\(folder)/token.key" }

  /// Whether a data folder has a key.
  package static func exists(in folder: String) -> Bool { FileSystem.isFile(path(in: folder)) }

  /// Loads the key from a data folder, or creates it.
  package static func load(folder: String) throws -> [UInt8] {
    let path = path(in: folder)
    guard exists(in: folder) else {
      let key = RandomBytes.generate(count: byteCount)
      try FileSystem.writePrivately(key, to: path)
      return key
    }
    try FileSystem.checkIsReadable(path)
    let key = try FileSystem.contents(of: path)
    guard key.count == byteCount else {
      throw ServerError(
        "\(path) has \(key.count) bytes instead of \(byteCount); put back the one from the last backup, or delete it: "
          + "the server then creates a new key, and all users must log in again, which anonymous users cannot"
      )
    }
    return key
  }
}
