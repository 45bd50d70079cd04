// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// The places of embedded objects that an upload has created so far. Their contents are the user's own.
struct NewPlaces {
  /// The places of embedded objects before the upload.
  private let existing: Set<PropertyPath>
  private var places: Set<PropertyPath> = []

  init(existing: [PropertyPath]) { self.existing = Set(existing) }

  /// Whether a place is inside a new embedded object.
  func contains(_ path: PropertyPath) -> Bool {
    places.contains { path.isAt(orInside: $0) && path != $0 }
  }

  /// Processes the next instruction of the upload.
  mutating func take(_ instruction: Instruction) {
    switch instruction {
    case .arrayInsert(let path, let payload, _):
      forget(listAround: path)
      if payload == .object { places.insert(path) }
    case .arrayMove(let path, _, _), .arrayErase(let path, _): forget(listAround: path)
    case .update(let path, .object, _):
      // If the path leads through a list, an existing object may have had another index before.
      if contains(path) || !path.hasIndex && !existing.contains(path) { places.insert(path) }
    default: break
    }
  }

  /// Forgets the places in a list, because its elements now have different indexes.
  private mutating func forget(listAround element: PropertyPath) {
    let list = PropertyPath(
      object: element.object,
      field: element.field,
      path: Array(element.path.dropLast())
    )
    places = places.filter { !$0.isAt(orInside: list) }
  }
}

extension PropertyPath {
  fileprivate var hasIndex: Bool { path.contains { if case .index = $0 { true } else { false } } }
}
