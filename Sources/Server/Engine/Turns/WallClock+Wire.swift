// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncScheduling

extension WallClock {
  /// The time in milliseconds since 2015, as on the wire (protocol §2.4.2).
  package var wireTimestamp: UInt64 {
    let now = UInt64(max(0, milliseconds()))
    return now > OriginStamp.epochOffsetMilliseconds ? now - OriginStamp.epochOffsetMilliseconds : 0
  }
}
