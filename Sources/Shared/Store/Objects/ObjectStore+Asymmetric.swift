// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension ObjectStore {
  /// Erases the objects of asymmetric classes. On a device they exist only in changesets.
  public func eraseAsymmetricObjects() throws {
    for table in try tables.values where table.kind == .asymmetric {
      for row in try rows(table) { try erase(row: row, in: table) }
    }
  }
}
