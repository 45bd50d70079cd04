// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

// Concealment of entries that were placed before a permission was revoked, and are not delivered yet.

extension StreamWriter {
  /// Permanently removes from the entries after a version what the next view does not show. Must be called after
  /// everything up to the source's version is placed, and before the change of the view is placed.
  ///
  /// Objects that are not in the next view are erased later in the stream, by what has happened or by the change of
  /// the view. Their erasures are kept; erasing an object that the client never had does nothing (protocol §6.7). Of
  /// the other objects, only properties that are no longer shown can be removed; such objects are sent anew.
  ///
  /// Properties that the file's view does not show either stay if the server corrects what the client has uploaded to
  /// them: such objects are not sent anew, and no later entry says that the client's value differs.
  ///
  /// - Parameters:
  ///   - last: the last entry to examine; what was placed beyond it is for the next view.
  ///   - source: the source of the state for the next view.
  func conceal(
    after version: UInt64,
    through last: UInt64,
    from next: View,
    in file: LiveFile,
    _ source: StreamSource
  )
    throws
  {
    var shown: [ObjectReference: Bool] = [:]
    // Objects that the server has sent in full, in the state that was visible at the time.
    var sent: Set<ObjectReference> = []
    func isKept(_ instruction: Instruction, isServers: Bool) throws -> Bool {
      guard let object = instruction.object else { return true }
      if case .eraseObject = instruction { return true }
      if isServers, case .createObject = instruction { sent.insert(object) }
      let isIn = try shown[object] ?? source.isIn(next, object)
      shown[object] = isIn
      if !isIn || next.shows(instruction) { return isIn }
      return isServers && !sent.contains(object) && !file.view.shows(instruction)
    }
    try store.forEachStreamEntry(file: file.ident, after: version, through: last) { entry in
      guard entry.isSteady else { return }
      let instructions = try ChangesetCodec.decode(entry.changeset).instructions
      let isServers = entry.kind == .steady(historyVersion: nil)
      let kept = try instructions.filter { try isKept($0, isServers: isServers) }
      guard kept.count < instructions.count else { return }
      try store.replaceChangeset(ChangesetCodec.encode(kept), file: file.ident, version: entry.version)
      // The client must merge with exactly what it receives.
      file.window = nil
    }
  }
}
