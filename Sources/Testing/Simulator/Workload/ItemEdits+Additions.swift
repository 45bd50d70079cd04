// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

// Changes of the properties and classes added by newer versions of the app.

extension ItemEdits {
  private static let memoCount: Int64 = 5

  /// Makes a change that the version of the app allows.
  ///
  /// - Returns: false, with nothing changed, if the file does not have the property yet.
  mutating func editAdditions(_ place: Place) throws -> Bool {
    switch random.number(in: 1...appVersion) {
    case 1: return try editRemarks(place)
    case 2: return try editMemos(place)
    default: return try editRatings(place)
    }
  }

  private mutating func editRemarks(_ place: Place) throws -> Bool {
    guard let readers = place.table.column(named: "readers") else { return false }
    if random.chance(50) {
      try set(place.path("remark"), random.chance(20) ? .null : .string(makeToken()))
      return true
    }
    try editList(try objects.listCount(row: place.row, readers)) {
      place.path("readers", .index($0))
    } element: {
      .value(.string($0.makeToken()))
    }
    return true
  }

  private mutating func editMemos(_ place: Place) throws -> Bool {
    guard knowsMemos, let memos = place.table.column(named: "memos") else { return false }
    let key = PrimaryKey.int(random.number(in: 1...Self.memoCount))
    let memo = ObjectReference(table: SimulationSchema.memo, key: key)
    guard try objects.row(of: memo) != nil else {
      try perform(.createObject(memo))
      try set(PropertyPath(object: memo, field: "text"), .string(makeToken()))
      return true
    }
    switch random.number(in: 0...9) {
    case 0: instructions += try objects.localErase(memo)
    case 1..<4: try set(PropertyPath(object: memo, field: "text"), .string(makeToken()))
    case 4..<6:
      let label = Value.string(random.pick(["old", "new"]))
      try perform(.setInsert(PropertyPath(object: memo, field: "labels"), .value(label)))
    case 6:
      let about = Link(className: place.item.table, key: place.item.key)
      try set(PropertyPath(object: memo, field: "about"), .link(about))
    default:
      try editList(try objects.listCount(row: place.row, memos)) {
        place.path("memos", .index($0))
      } element: { _ in
        .value(.link(Link(className: memo.table, key: memo.key)))
      }
    }
    return true
  }

  private mutating func editRatings(_ place: Place) throws -> Bool {
    guard place.table.column(named: "ratings") != nil else { return false }
    let path = place.path("ratings", .name(random.pick(["ada", "bob"])))
    if random.chance(20) {
      try perform(.update(path, .erased, .isDefault(false)))
    } else {
      try set(path, random.chance(20) ? .null : .int(random.number(in: 1...5)))
    }
    return true
  }
}
