// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

// What was placed before a permission was taken away, and has not been delivered.

extension StreamWriter {
  /// Takes out of the entries after a version what the next view does not show, for good. To be called when what has
  /// happened up to the source's version is placed, before the change of the view is.
  ///
  /// Objects that are not in the next view are erased further on in the stream, by what has happened or by the change of
  /// the view. Their erasures are kept; erasing what a client has never had does nothing (protocol §6.7). Of the other
  /// objects only properties can be left out that are not shown any more; such objects are sent anew.
  ///
  /// - Parameters:
  ///   - last: the last entry; what was placed behind it is for the next view.
  ///   - source: what the next view is read from.
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
    func isShown(_ instruction: Instruction) throws -> Bool {
      guard let object = instruction.object else { return true }
      if case .eraseObject = instruction { return true }
      let isIn = try shown[object] ?? source.isIn(next, object)
      shown[object] = isIn
      return isIn && next.shows(instruction)
    }
    try store.forEachStreamEntry(file: file.ident, after: version) { entry in
      guard entry.isSteady, entry.version <= last else { return }
      let instructions = try ChangesetCodec.decode(entry.changeset).instructions
      let kept = try instructions.filter(isShown)
      guard kept.count < instructions.count else { return }
      try store.replaceChangeset(ChangesetCodec.encode(kept), file: file.ident, version: entry.version)
      // What the client merges with is what it gets.
      file.window = nil
    }
  }
}
