// SPDX-License-Identifier: Apache-2.0

/// The time that tests give to what must happen: far longer than it takes, so that a busy machine fails no test.
package enum Patience {
  package static let seconds = 60.0
  package static let milliseconds: UInt64 = 60_000
}
