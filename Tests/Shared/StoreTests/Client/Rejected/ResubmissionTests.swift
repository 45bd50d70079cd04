// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Rejected writes that are made again.
@Suite struct ResubmissionTests {
  let folder = TemporaryFolder()
  let realm: RealmFile

  init() throws { realm = try folder.openTaskRealm() }

  /// Writes something that the server takes back with `reverting`.
  private func reject(_ instructions: [Instruction], server: UInt64, reverting: [Instruction]) throws -> Int64
  {
    let version = try realm.writeLocally(instructions)
    try realm.integrate(
      [entry(server, base: version, reverting)],
      progress: progress(server: server, base: version, upload: version),
      rejections: [rejection(of: task(1), written: version, server: server)]
    )
    return try #require(try realm.rejectedWrites().last).id
  }

  private func resubmit(_ id: Int64) throws -> UInt64 {
    try realm.database.write {
      try realm.recordLocalChanges(try realm.resubmitRejectedWrite(id), timestamp: 500)
    }
  }

  private func acknowledge(_ version: UInt64, server: UInt64) throws {
    try realm.integrate([], progress: progress(server: server, base: version, upload: version))
  }

  @Test func whatTheWriteCreatedIsCreatedAgainAndUploaded() throws {
    let id = try reject(
      [.createObject(task(1)), setTitle(1, "again")],
      server: 3,
      reverting: [.eraseObject(task(1))]
    )
    let version = try resubmit(id)
    #expect(try realm.objects.read(task(1), "title") == .string("again"))
    #expect(try realm.rejectedWrites().map(\.state) == [.resubmitted])
    let upload = try #require(try realm.uploads(after: version - 1, byteLimit: .max).entries.first)
    #expect(
      try ChangesetCodec.decode(upload.changeset).instructions == [
        .createObject(task(1)), setTitle(1, "again"),
      ]
    )
    try acknowledge(version, server: 4)
    #expect(try realm.rejectedWrites().isEmpty)
    #expect(try realm.objects.row(of: task(1)) != nil)
  }

  @Test func rejectedAgainItStaysTheSameWriteWithTheNewReason() throws {
    let id = try reject([.createObject(task(1))], server: 3, reverting: [.eraseObject(task(1))])
    for untold in try realm.untoldRejections() { try realm.noteTold(untold) }
    let version = try realm.database.write {
      let instructions = try realm.resubmitRejectedWrite(id) + [setTitle(1, "more")]
      try realm.objects.apply([setTitle(1, "more")])
      return try realm.recordLocalChanges(instructions, timestamp: 500)
    }
    var again = rejection(of: task(1), written: version, server: 4)
    again.objects[0].reason = "still not allowed"
    try realm.integrate(
      [entry(4, base: version, [.eraseObject(task(1))])],
      progress: progress(server: 4, base: version, upload: version),
      rejections: [again]
    )
    let write = try #require(try realm.rejectedWrites().first)
    #expect(write.id == id)
    #expect(write.state == .kept)
    #expect(write.reason == "still not allowed")
    #expect(try realm.rejectedWrite(id)?.instructions == [.createObject(task(1)), setTitle(1, "more")])
    #expect(try realm.rejectedWrites().count == 1)
    #expect(try realm.untoldRejections().count == 1)
  }

  @Test func aChangeOfAnObjectThatIsGoneCannotBeResubmitted() throws {
    try realm.database.write { try realm.objects.apply([.createObject(task(1))]) }
    let id = try reject([setTitle(1, "mine")], server: 3, reverting: [.eraseObject(task(1))])
    try realm.database.beginWrite()
    let error = try #require(throws: ResubmissionError.self) { try realm.resubmitRejectedWrite(id) }
    try realm.database.rollback()
    #expect(error.kind == .impossible)
    #expect(error.description.contains("the object no longer exists"))
    #expect(try realm.rejectedWrites().map(\.state) == [.kept])
  }

  @Test func aResubmittedWriteCannotBeResubmittedTwiceAndAnUnknownOneNotAtAll() throws {
    let id = try reject([.createObject(task(1))], server: 3, reverting: [.eraseObject(task(1))])
    _ = try resubmit(id)
    try realm.database.beginWrite()
    for wrong in [id, id + 1] {
      let error = try #require(throws: ResubmissionError.self) { try realm.resubmitRejectedWrite(wrong) }
      #expect(error.kind == .notKept)
    }
    try realm.database.rollback()
  }

  @Test func aTransactionThatIsTakenBackResubmitsNothing() throws {
    let id = try reject([.createObject(task(1))], server: 3, reverting: [.eraseObject(task(1))])
    try realm.database.beginWrite()
    _ = try realm.resubmitRejectedWrite(id)
    try realm.database.rollback()
    #expect(try realm.rejectedWrites().map(\.state) == [.kept])
    #expect(try realm.objects.row(of: task(1)) == nil)
  }

  // MARK: Lists

  private func tags() throws -> [Value] { try realm.objects.list(task(1), "tags") }

  private func insert(_ text: String, at index: UInt32, prior: UInt32) -> Instruction {
    .arrayInsert(task(1).at("tags", index), .value(.string(text)), priorSize: prior)
  }

  /// A task with the tags a, b, c as the server has it, and a rejected change of the tags.
  private func rejectChangeOfTags(_ change: [Instruction]) throws -> Int64 {
    let state =
      [.createObject(task(1)), insert("a", at: 0, prior: 0), insert("b", at: 1, prior: 1)]
      + [insert("c", at: 2, prior: 2)]
    try realm.database.write { try realm.objects.apply(state) }
    return try reject(change, server: 3, reverting: [.eraseObject(task(1))] + state)
  }

  @Test func elementsOfAListThatIsAsLongAsItWasAreChangedAgain() throws {
    let id = try rejectChangeOfTags([
      .arrayErase(task(1).at("tags", 0), priorSize: 3), insert("x", at: 2, prior: 2),
      .update(task(1).at("tags", 0), .value(.string("B")), .priorSize(3)),
    ])
    #expect(try tags() == [.string("a"), .string("b"), .string("c")])
    _ = try resubmit(id)
    #expect(try tags() == [.string("B"), .string("c"), .string("x")])
  }

  @Test func elementsOfAListOfAnotherLengthAreLeftAloneAndNewOnesInserted() throws {
    let id = try rejectChangeOfTags([
      .arrayErase(task(1).at("tags", 0), priorSize: 3), insert("x", at: 2, prior: 2),
      setTitle(1, "mine"),
    ])
    try realm.integrate(
      [entry(4, base: 9, [insert("d", at: 3, prior: 3)])],
      progress: progress(server: 4, base: 9, upload: 9)
    )
    _ = try resubmit(id)
    #expect(try tags().contains(.string("a")))
    #expect(try tags().contains(.string("x")))
    #expect(try tags().count == 5)
    #expect(try realm.objects.read(task(1), "title") == .string("mine"))
  }

  // MARK: Client reset

  @Test(arguments: [ClientResetKind.discard, .recover])
  func aClientResetKeepsRejectedWrites(kind: ClientResetKind) throws {
    let scene = try ResetScene()
    let local = scene.local
    var versions: [UInt64] = []
    for key in 1...2 as ClosedRange<Int64> {
      let version = try local.writeLocally([.createObject(task(key)), setTitle(key, "\(key)")])
      let server = 900 + UInt64(key)
      try local.integrate(
        [entry(server, base: version, [.eraseObject(task(key))])],
        progress: progress(server: server, base: version, upload: version),
        rejections: [rejection(of: task(key), written: version, server: server)]
      )
      versions.append(version)
    }
    let writes = try local.rejectedWrites()
    _ = try local.database.write {
      try local.recordLocalChanges(try local.resubmitRejectedWrite(writes[1].id), timestamp: 500)
    }
    try local.reset(to: scene.fresh, kind)
    let states = try local.rejectedWrites().map(\.state)
    // What is discarded waits for the app again; what is recovered waits for the server.
    #expect(states == (kind == .discard ? [.kept, .kept] : [.kept, .resubmitted]))
    #expect(try local.rejectedWrites().map(\.object) == [task(1), task(2)])
  }
}
