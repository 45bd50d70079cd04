// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

/// Objects of results are read in batches, which callers must not notice.
@Suite struct BatchBorderTests {
  let folder = TemporaryFolder()
  let realm: TestRealm

  init() throws { realm = try TestRealm(path: folder.file("test.realm")) }

  /// Numbers of objects with which a batch ends exactly at the end, and others.
  @Test(arguments: [248, 249, 504, 505])
  func readingPastTheEndLeavesTheObjectsBeforeIt(count: Int) throws {
    try realm.write {
      for number in 0..<count {
        try realm.create("Task", .int(Int64(number)), ["name": .string("task \(number)")])
      }
    }
    let tasks = try realm.objects("Task")
    #expect(try tasks.count == count)
    for index in 0..<count { #expect(try tasks.object(at: index).get("name") == .string("task \(index)")) }
    expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try tasks.object(at: count) }
    for index in [count - 1, count - 2, count - 100] {
      #expect(try tasks.object(at: index).get("name") == .string("task \(index)"))
    }
  }
}
