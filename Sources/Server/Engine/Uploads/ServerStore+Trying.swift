// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

extension ServerStore {
  private struct TakenBack: Error {}

  /// Makes changes in order to see their effect, and takes them back.
  func trying(_ changes: () throws -> Void) throws {
    do {
      try database.nested {
        try changes()
        throw TakenBack()
      }
    } catch is TakenBack {}
  }
}
