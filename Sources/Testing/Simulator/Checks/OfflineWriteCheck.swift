// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore

/// Checks that writes made offline are integrated if the users were allowed to make them then and are allowed to now,
/// even if their roles were narrower in between.
///
/// Each device writes notes into its own property of items, so that no other client's write overwrites them.
final class OfflineWriteCheck {
  private struct Note {
    let client: Int
    let path: PropertyPath
    let text: String
    let view: ItemView
  }

  /// The notes by the key of their transaction.
  private var notes: [String: Note] = [:]
  private(set) var checkedCount = 0

  /// Records that an offline device has written a note into an item that it shares with the server.
  func wrote(
    _ text: String,
    at path: PropertyPath,
    by client: Int,
    transaction key: String,
    seeing view: ItemView
  ) {
    notes[key] = Note(client: client, path: path, text: text, view: view)
  }

  /// Forgets the notes of a device after an event that may cost it what it has written: it changed its view, was
  /// reset, or returned too early.
  func forget(_ client: Int) { notes = notes.filter { $0.value.client != client } }

  /// Checks the entries that the server has integrated.
  ///
  /// - Parameter role: Returns the current role of a client's user.
  func integrated(_ entries: [HistoryEntry], _ oracle: ViewOracle, role: (Int) -> ItemRole) throws {
    for entry in entries {
      for case .createObject(let mark) in entry.instructions where mark.table == SimulationSchema.journal {
        guard case .string(let key) = mark.key, let note = notes.removeValue(forKey: key) else { continue }
        try check(note, entry, oracle, role(note.client))
      }
    }
  }

  private func check(_ note: Note, _ entry: HistoryEntry, _ oracle: ViewOracle, _ role: ItemRole) throws {
    guard role.isOpen, oracle.wasAlwaysThere(note.path.object, in: note.view) else { return }
    checkedCount += 1
    let isThere = entry.instructions.contains { instruction in
      guard case .update(note.path, .value(.string(note.text)), _) = instruction else { return false }
      return true
    }
    guard !isThere else { return }
    throw SimulationFailure(
      "client \(note.client) wrote \(note.text) into item \(note.path.object.key) offline, which its user might do then and "
        + "may do now; version \(entry.version) came without it"
    )
  }
}
