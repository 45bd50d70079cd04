// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore
@testable import FlexSyncServerStore
@testable import FlexSyncStore

@Suite("Ending statements early")
struct InterruptionTests {
  private static let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
    """

  private let folder = TemporaryFolder()

  private func runEndlessly(_ database: Database) -> StorageError.Kind? {
    do {
      try database.withStatement(Self.endless) { _ = try $0.step() }
      return nil
    } catch {
      return (error as? StorageError)?.kind
    }
  }

  @Test("Another thread ends statements without end, of a store and of its readers")
  func otherThread() throws {
    let interruption = Interruption()
    let store = try ServerStore(path: folder.file("data.sqlite"), interruption: interruption)
    let reader = try store.snapshot().database
    DispatchQueue.global().async { interruption.request() }
    #expect(runEndlessly(store.database) == .interrupted)
    #expect(runEndlessly(reader) == .interrupted)
    interruption.withdraw()
    #expect(!interruption.request())
    #expect(try store.currentVersion() == 0)
  }

  @Test("A write transaction that is interrupted is rolled back whole")
  func writeTransaction() throws {
    let interruption = Interruption()
    let store = try ServerStore(path: folder.file("data.sqlite"), interruption: interruption)
    let error = #expect(throws: StorageError.self) {
      try store.write {
        try store.set("a", to: 1)
        interruption.request()
        try store.database.withStatement(Self.endless) { _ = try $0.step() }
      }
    }
    #expect(error?.kind == .interrupted)
    interruption.withdraw()
    #expect(try store.setting("a") == nil)
    try store.write { try store.set("a", to: 2) }
    #expect(try store.setting("a") == 2)
  }

  @Test("A statement that takes too long ends, and the next one runs")
  func tooLong() throws {
    let store = try ServerStore(path: folder.file("data.sqlite"))
    var lookCount = 0
    let isOver = {
      lookCount += 1
      return lookCount > 10
    }
    let kind = try store.database.interrupting(when: isOver) { runEndlessly(store.database) }
    #expect(kind == .interrupted)
    #expect(try store.currentVersion() == 0)
  }
}
