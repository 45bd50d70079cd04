// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import DiskProbe
import Testing

@testable import FlexSyncCore

@Suite("What a device has told the server is on disk")
struct DurabilityTests {
  // Its file system has to be there before a realm is opened.
  private let probe = SyncCounter(folder: "")

  @Test("Commits cost no sync, however many; to upload them costs one, and so does to connect")
  func uploads() throws {
    let server = try SyncServer()
    let device = try Device(server)
    let syncs = SyncCounter(folder: device.folder.path)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.upload()
    try device.session.suspend()
    try device.session.waitFor(.FLX_CONNECTION_DISCONNECTED)

    let before = syncs.count
    for number in 0..<20 { _ = try device.addTask("task \(number)") }
    #expect(syncs.count == before)
    try device.session.resume()
    try device.upload()
    // IDENT, and an UPLOAD; the acknowledgement of an empty download may need another one.
    #expect((1...3).contains(syncs.count - before))

    let beforeChange = syncs.count
    _ = try device.addTask("one more")
    try device.upload()
    #expect((1...2).contains(syncs.count - beforeChange))
  }

  @Test("Whoever receives a change has it on disk before the server may forget it")
  func acknowledgements() throws {
    let server = try SyncServer()
    let (writer, reader) = (try Device(server), try Device(server))
    for device in [writer, reader] { try device.subscribe(["Task": "TRUEPREDICATE"]) }
    let syncs = SyncCounter(folder: reader.folder.path)
    let before = syncs.count
    _ = try writer.addTask("a task")
    try reader.expect("the task") { try reader.taskNames == ["a task"] }
    try reader.expect("the acknowledgement") { syncs.count > before }
  }
}
