// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStorage

/// A version of the history with the layouts of its images. Shared by all views for which it means something.
final class CommittedEntry {
  let entry: HistoryEntry
  let layouts: [String: ImageLayout]

  /// All instructions as bytes.
  private(set) lazy var changeset = ChangesetCodec.encode(entry.instructions)
  /// The positions of the instructions on each object, in the order of the images.
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

/// A change of an object that was or is in a view.
struct ViewTouch {
  let entry: CommittedEntry
  /// Which of the entry's images.
  let number: Int
  /// Whether the object was in the view before the change, and is after it.
  let wasIn: Bool
  let isIn: Bool

  private var touched: TouchedObject { entry.entry.images.objects[number] }

  var object: ObjectReference { touched.object }

  /// Whether the object is in the view before and after the change, as far as it is there.
  var isSeenWhileThere: Bool {
    (wasIn || touched.before == nil) && (isIn || touched.after == nil)
  }
}
