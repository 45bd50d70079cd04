// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncServerSupport

/// The secret that signs tokens: created on the first start, stored in the data folder, readable by its owner only.
package enum SigningKey {
  private static let byteCount = 32

  /// Loads the key from a data folder, or creates it.
  package static func load(folder: String) throws -> [UInt8] {
    let path = "\(folder)/token.key"
    guard FileSystem.isFile(path) else {
      let key = RandomBytes.generate(count: byteCount)
      try FileSystem.writePrivately(key, to: path)
      return key
    }
    let key = try FileSystem.contents(of: path)
    guard key.count == byteCount else {
      throw ServerError(
        "\(path) has \(key.count) bytes instead of \(byteCount); delete it so that the server creates a new "
          + "key (all users must then log in again)"
      )
    }
    return key
  }
}
