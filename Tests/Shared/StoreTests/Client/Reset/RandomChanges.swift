// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport

@testable import FlexSyncStore

/// Random changes to all kinds of collections, to a file and, differently, to what the server has of it.
struct RandomChanges {
  private var tasks: RandomTaskInstructions
  private var notes: RandomNoteInstructions
  private var contacts: RandomContactInstructions

  init(seed: UInt64) {
    tasks = RandomTaskInstructions(seed: seed)
    notes = RandomNoteInstructions(seed: seed + 1)
    contacts = RandomContactInstructions(seed: seed + 2)
  }

  /// A scene in which both sides, or only the file, have changed a common state.
  mutating func scene(changesServer: Bool = true) throws -> ResetScene {
    let store = try ObjectStore.inMemory()
    try store.database.beginWrite()
    try store.declare(resetSchema)
    let scene = try ResetScene(change(store, count: 200))
    for _ in 0..<4 {
      let timestamp: UInt64 = 100
      try scene.local.database.write {
        let changes = change(scene.local.objects, count: 40)
        try scene.local.recordLocalChanges(changes, timestamp: timestamp)
      }
    }
    guard changesServer else { return scene }
    try scene.fresh.database.write { _ = change(scene.fresh.objects, count: 80) }
    return scene
  }

  /// - Returns: The instructions that were accepted.
  private mutating func change(_ store: ObjectStore, count: Int) -> [Instruction] {
    var accepted: [Instruction] = []
    for turn in 0..<count {
      let instruction =
        switch turn % 3 {
        case 0: tasks.next { (try? store.list($0, $1).count) ?? 0 }
        case 1: notes.next { try? store.note($0, $1) }
        default: contacts.next(store)
        }
      if (try? store.apply(instruction)) != nil { accepted.append(instruction) }
    }
    return accepted
  }
}
