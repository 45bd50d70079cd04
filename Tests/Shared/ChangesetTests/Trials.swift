// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How much random tests do: little in every run, more on demand.
enum Trials {
  /// The number times `FLEXSYNC_TRIALS`, if that is set.
  static func count(_ number: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["FLEXSYNC_TRIALS"].flatMap(Int.init) ?? 1
    return number * max(1, factor)
  }
}
