// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The place of a plain value in sorted results: null first, then values of different types in the order that queries
/// give them.
enum ValueOrder {
  case null
  case bool(Bool)
  case number(SummedNumber)
  case text(String)
  case bytes(Data)
  case date(Date)
  case objectId(ObjectId)
  case uuid(UUID)
  /// A value that has no order.
  case other

  init(_ value: Any) {
    switch plainValue(value) {
    case nil: self = .null
    case let bool as Bool: self = .bool(bool)
    case let text as String: self = .text(text)
    case let bytes as Data: self = .bytes(bytes)
    case let date as Date: self = .date(date)
    case let id as ObjectId: self = .objectId(id)
    case let uuid as UUID: self = .uuid(uuid)
    case let value?: self = SummedNumber(value).map(ValueOrder.number) ?? .other
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .number: 2
    case .text: 3
    case .bytes: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .other: 8
    }
  }

  static func < (left: ValueOrder, right: ValueOrder) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): !left && right
    case (.number(let left), .number(let right)): left.isLess(than: right)
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
    case (.date(let left), .date(let right)): left < right
    case (.objectId(let left), .objectId(let right)): left < right
    case (.uuid(let left), .uuid(let right)): left < right
    default: left.rank < right.rank
    }
  }
}
