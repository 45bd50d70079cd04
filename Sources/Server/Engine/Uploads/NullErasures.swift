// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Applies changes that remove null from typed sets, and finds the form of them that every client can apply.
///
/// Realm clients write SetErase for this, but reject that instruction when they receive it. Instead, others receive
/// the entire set, as from a FlexSync client. A changeset leads to that at most once for each set, however often it
/// removes null: where it has put the null in itself, others receive neither.
struct NullErasures {
  private struct SetIdentity: Hashable {
    let column: ObjectIdentifier
    let row: Int64

    init(_ place: Place) {
      column = ObjectIdentifier(place.column)
      row = place.row
    }
  }

  private let objects: ObjectStore
  /// The changes for others.
  private var told: [Instruction?] = []
  /// The places in `told` of the instructions that have put null into a set which did not contain it.
  private var insertions: [SetIdentity: [Int]] = [:]

  private init(_ objects: ObjectStore) { self.objects = objects }

  static func isOne(_ instruction: Instruction) -> Bool {
    guard case .setErase(_, .value(.null)) = instruction else { return false }
    return true
  }

  /// Applies instructions.
  ///
  /// - Returns: The instructions for other clients.
  /// - Throws: `ApplyError` for an instruction that cannot be applied. The caller must roll back.
  static func apply(_ instructions: [Instruction], to objects: ObjectStore) throws -> [Instruction] {
    guard instructions.contains(where: isOne) else {
      try objects.apply(instructions)
      return instructions
    }
    var erasures = NullErasures(objects)
    for instruction in instructions { try erasures.apply(instruction) }
    return erasures.told.compactMap { $0 }
  }

  private mutating func apply(_ instruction: Instruction) throws {
    switch instruction {
    case .setErase(let path, .value(.null)):
      guard let place = try objects.nullableSet(at: path) else { return try take(instruction) }
      try eraseNull(from: place, path)
    case .setInsert(let path, .value(.null)):
      if let place = try objects.nullableSet(at: path) { try noteInsertion(into: place) }
      try take(instruction)
    default: try take(instruction)
    }
  }

  private mutating func take(_ instruction: Instruction) throws {
    try objects.apply([instruction])
    told.append(instruction)
  }

  private mutating func noteInsertion(into place: Place) throws {
    let identity = SetIdentity(place)
    let containsNull = try objects.setContains(.null, row: place.row, place.column)
    if !containsNull { insertions[identity] = [] }
    insertions[identity]?.append(told.count)
  }

  private mutating func eraseNull(from place: Place, _ path: PropertyPath) throws {
    guard try objects.setErase(.null, row: place.row, place.column) else { return }
    if let insertions = insertions.removeValue(forKey: SetIdentity(place)) {
      for index in insertions { told[index] = nil }
      return
    }
    told.append(.clear(path, .set))
    told += try objects.setValues(row: place.row, place.column).map { .setInsert(path, .value($0)) }
  }
}
