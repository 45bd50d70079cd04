// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@testable import FlexSyncCore

@Suite struct SyncTests {
  let server: SyncServer

  init() throws { server = try SyncServer() }

  @Test func aNewFileCompletesItsEmptySet() throws {
    let device = try Device(server)
    let set = try device.realm.latestSet
    #expect(set.version == 0)
    try set.wait()
    #expect(set.state == .FLX_SUBSCRIPTION_COMPLETE)
  }

  @Test func whatOneDeviceWritesAnotherOneSees() throws {
    let (first, second) = (try Device(server), try Device(server))
    try first.subscribe(["Task": "TRUEPREDICATE"])
    try second.subscribe(["Task": "TRUEPREDICATE"])
    _ = try first.addTask("paint")
    try second.expect("the task arrives") { try second.taskNames == ["paint"] }
  }
}
