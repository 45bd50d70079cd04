// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto

/// The source of the salts of client files and server versions, replaceable in simulations.
package struct SaltSource {
  /// Returns a positive number that cannot be guessed.
  package var next: () -> Int64

  package init(next: @escaping () -> Int64) {
    self.next = next
  }

  /// The system's random number generator.
  package static var system: SaltSource {
    SaltSource {
      let random = RandomBytes.generate(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int64(random >> 1) | 1
    }
  }
}
