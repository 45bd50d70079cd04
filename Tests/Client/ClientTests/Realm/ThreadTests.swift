// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

/// Handles of several threads on one file.
@Suite struct ThreadTests {
  private static let threads = 4
  private static let writes = 50

  @Test func writersTakeTurnsAndLoseNothing() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("test.realm")
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 1...Self.threads {
        group.addTask {
          let realm = try TestRealm(path: path)
          let counter = try #require(try realm.find("Task", .int(0)))
          for number in 0..<Self.writes {
            try realm.write {
              try counter.add(1, to: "progress")
              try realm.create("Task", .int(Int64(thread * 1000 + number)))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try realm.refresh()
    let total = Self.threads * Self.writes
    #expect(try #require(try realm.find("Task", .int(0))).get("progress") == .int(Int64(total)))
    #expect(try realm.objects("Task").count == total + 1)
  }

  @Test func aReaderSeesWholeTransactionsOnly() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("test.realm")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let realm = try TestRealm(path: path)
        for number in 0..<Self.writes {
          try realm.write {
            try realm.create("Task", .int(Int64(2 * number)))
            try realm.create("Task", .int(Int64(2 * number + 1)))
          }
        }
      }
      group.addTask {
        let realm = try TestRealm(path: path)
        let tasks = try realm.objects("Task")
        let observation = try tasks.observe()
        try realm.refresh()
        var count = try tasks.count
        _ = observation.take()
        while count < 2 * Self.writes {
          var hasChanged = false
          try attempt { flx_realm_wait_for_change(realm.handle, Patience.milliseconds, &hasChanged, $0) }
          #expect(hasChanged)
          try realm.refresh()
          for change in observation.take() { count += change.insertions.count }
          #expect(try tasks.count == count)
          #expect(count % 2 == 0)
        }
      }
      try await group.waitForAll()
    }
  }
}
