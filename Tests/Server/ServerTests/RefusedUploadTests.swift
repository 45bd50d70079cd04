// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncServer

@Suite("Uploads of which one is refused")
struct RefusedUploadTests {
  private static let team = TaskTracker.team(1)

  private static func insert(_ name: String, at index: UInt32, of size: UInt32) -> Instruction {
    let path = PropertyPath(object: team, field: "members", path: [.index(index)])
    return .arrayInsert(path, .value(.string(name)), priorSize: size)
  }

  private func client(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(#"{"Team":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    return client
  }

  @Test("What was merged before the refused one stays merged", arguments: [false, true])
  func keepsReciprocals(restarts: Bool) throws {
    let harness = try Harness()
    let (ann, bob) = (try client(harness), try client(harness))
    try ann.write(.createObject(Self.team))
    try ann.synchronize()
    try bob.synchronize()
    bob.disconnect()
    try ann.write(Self.insert("ann", at: 0, of: 0))
    try ann.synchronize()
    let refused = Instruction.createObject(ObjectReference(table: "Nowhere", key: .int(1)))
    try bob.write(Self.insert("bob", at: 0, of: 0))
    try bob.write { _ in [refused] }
    try bob.write(Self.insert("bill", at: 1, of: 1))
    try bob.connect()
    try harness.run(until: { !bob.failures.isEmpty }, "refusal")
    bob.disconnect()
    if restarts {
      try harness.restart()
      ann.disconnect()
      try ann.connect()
    }
    bob.withdraw { $0 == [refused] }
    try bob.connect()
    for client in [bob, ann, bob] { try client.synchronize() }
    let expected = try harness.openState().contents(of: "Team")
    for client in [ann, bob] {
      #expect(client.failures.isEmpty)
      #expect(try client.objects.contents(of: "Team") == expected)
    }
  }
}
