// SPDX-License-Identifier: Apache-2.0

/// Why a run ended: a participant failed, or they are not equal.
struct InteropError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
