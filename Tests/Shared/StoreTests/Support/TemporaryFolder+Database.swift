// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncTestSupport

extension TemporaryFolder {
  /// Opens a database of objects in the folder.
  func open(_ name: String = "test.flexsync", busyTimeoutMilliseconds: Int32 = 200) throws -> Database {
    try Database.open(
      DatabaseConfiguration(
        location: .file(file(name)),
        application: .objects,
        busyTimeoutMilliseconds: busyTimeoutMilliseconds
      )
    )
  }
}
