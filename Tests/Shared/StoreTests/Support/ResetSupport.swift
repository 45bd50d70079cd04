// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

/// All classes that tests of client resets use.
let resetSchema = Schema(taskSchema.classes + noteSchema.classes + contactSchema.classes)

/// A file with unacknowledged changes, and what the server has.
struct ResetScene {
  let folder = TemporaryFolder()
  let local: RealmFile
  let fresh: RealmFile

  /// - Parameter base: what the file and the server had in common.
  init(_ base: [Instruction] = [], schema: Schema = resetSchema) throws {
    local = try folder.openRealm()
    fresh = try folder.openRealm(name: "test.flexsync.fresh")
    for file in [local, fresh] {
      try file.database.write {
        try file.objects.declare(schema)
        try file.objects.apply(base)
        try file.changeState(of: 0, from: .pending, to: .complete)
      }
    }
    try local.setFileIdent(SaltedFileIdent(ident: 2, salt: 4242))
    try local.integrate([], progress: progress(server: 900))
    try fresh.setFileIdent(SaltedFileIdent(ident: 9, salt: 99))
    try fresh.database.write { try fresh.saveProgress(progress(server: 7)) }
  }

  /// What the server has on top of the common state.
  func changeOnServer(_ instructions: [Instruction]) throws {
    try fresh.database.write { try fresh.objects.apply(instructions) }
  }

  /// The instructions that are to be uploaded after the reset.
  func recovered() throws -> [Instruction] {
    try local.uploads(after: 0, byteLimit: .max).entries.flatMap {
      try ChangesetCodec.decode($0.changeset).instructions
    }
  }

  /// Makes sure that the server, once it has the uploads, has what the file has.
  func expectUploadsLeadToTheSameState(_ comment: Comment? = nil) throws {
    let uploads = try local.uploads(after: 0, byteLimit: .max).entries
    #expect(uploads.allSatisfy { $0.serverVersion == 7 }, comment)
    try changeOnServer(try recovered())
    #expect(try fresh.objects.exactState() == local.objects.exactState(), comment)
  }
}

extension TemporaryFolder {
  func openRealm(name: String) throws -> RealmFile {
    try RealmFile.open(
      DatabaseConfiguration(location: .file(file(name)), application: .realm, busyTimeoutMilliseconds: 200),
      owner: syncedOwner
    )
  }
}

extension ObjectStore {
  /// All objects with all that they hold, dangling links included.
  func exactState() throws -> [ObjectReference: [Instruction]] {
    var state: [ObjectReference: [Instruction]] = [:]
    for (name, table) in try tables where !table.isEmbedded {
      for row in try rows(table) {
        guard let key = try key(of: row, in: table) else { continue }
        state[ObjectReference(table: name, key: key)] = try fullState(of: row, in: table)
      }
    }
    return state
  }
}
