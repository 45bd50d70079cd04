// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

// What was placed before a permission was taken away, and has not been delivered.

extension StreamWriter {
  /// Takes out of the entries after a version what the next view does not show, for good. To be called when the stream is
  /// extended to now, before the change of the view is placed.
  ///
  /// Objects that are not in the next view are erased further on in the stream, by what has happened or by the change of
  /// the view. Their erasures are kept; erasing what a client has never had does nothing (protocol §6.7). Of the other
  /// objects only properties can be left out that are not shown any more; such objects are sent anew.
  ///
  /// All objects of unsettled classes are sent anew, too. Nothing else of them is left: a view that was taken back may have
  /// shown less of them, so that what follows on it misses what was taken out then.
  func conceal(after version: UInt64, from next: View, in file: LiveFile) throws {
    let unsettled = try ViewPermissions(text: file.record.permissions).unsettledClassNames
    var shown: [ObjectReference: Bool] = [:]
    func isShown(_ instruction: Instruction) throws -> Bool {
      guard let object = instruction.object else { return true }
      if case .eraseObject = instruction { return true }
      if unsettled.contains(object.table) { return false }
      let isIn = try shown[object] ?? isNow(object, in: next)
      shown[object] = isIn
      return isIn && next.shows(instruction)
    }
    try store.forEachStreamEntry(file: file.ident, after: version) { entry in
      guard entry.isSteady else { return }
      let instructions = try ChangesetCodec.decode(entry.changeset).instructions
      let kept = try instructions.filter(isShown)
      guard kept.count < instructions.count else { return }
      try store.replaceChangeset(ChangesetCodec.encode(kept), file: file.ident, version: entry.version)
      // What the client merges with is what it gets.
      file.window = nil
    }
  }

  private func isNow(_ object: ObjectReference, in view: View) throws -> Bool {
    let image = try schema.image(of: object)
    return view.contains(image, className: object.table, layout: schema.layout(of: object.table))
  }
}
