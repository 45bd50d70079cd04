// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore

/// A version of the history with the layouts of its images, shared by all views that it concerns.
final class CommittedEntry {
  let entry: HistoryEntry
  let layouts: [String: ImageLayout]

  /// The encoding of all instructions.
  private(set) lazy var changeset = ChangesetCodec.encode(entry.instructions)
  /// The positions of the instructions on each object, with the objects in the order of the images.
  private(set) lazy var positions = instructionPositions()

  init(entry: HistoryEntry, layouts: [String: ImageLayout]) {
    self.entry = entry
    self.layouts = layouts
  }

  func layout(of className: String) -> ImageLayout { layouts[className] ?? ImageLayout(fields: []) }

  private func instructionPositions() -> [[Int]] {
    let objects = entry.images.objects
    var positions = Array(repeating: [Int](), count: objects.count)
    if objects.count == 1 {
      positions[0] = entry.instructions.indices.filter { entry.instructions[$0].object == objects[0].object }
      return positions
    }
    var numbers: [ObjectReference: Int] = [:]
    for (number, touched) in objects.enumerated() { numbers[touched.object] = number }
    for (position, instruction) in entry.instructions.enumerated() {
      if let number = instruction.object.flatMap({ numbers[$0] }) { positions[number].append(position) }
    }
    return positions
  }
}
