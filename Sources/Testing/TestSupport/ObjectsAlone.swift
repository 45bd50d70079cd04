// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

extension DatabaseConfiguration.Application {
  /// A file with nothing but objects: neither a realm nor a server's store.
  package static let objects = Self(
    identifier: 0x464C_584F,
    name: "file of objects",
    migrations: [Migration("object tables", apply: ObjectStore.createTables)]
  )
}

extension ObjectStore {
  /// Opens an empty store in memory.
  package static func inMemory() throws -> ObjectStore {
    try ObjectStore(Database.open(DatabaseConfiguration(location: .memory, application: .objects)))
  }
}
