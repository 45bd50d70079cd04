// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

extension SyncClient {
  /// A connected client that has all tasks.
  static func ofAllTasks(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    return client
  }

  /// Creates a task, and waits until the server has it.
  func addTask(_ number: UInt32) throws {
    try write { objects in
      let changes = TaskTracker.newTask(number, assignee: nil)
      try objects.apply(changes)
      return changes
    }
    try synchronize()
  }
}
