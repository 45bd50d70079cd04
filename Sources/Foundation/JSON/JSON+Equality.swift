// SPDX-License-Identifier: Apache-2.0

// Names and strings are compared by their bytes. Swift's `==` treats canonically equivalent texts as equal, but those
// who write and store the values consider them different, so a rule must not equate them.

extension JSON: Hashable {
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(Array(value.utf8))
    case .array(let elements): hasher.combine(elements)
    case .object(let members): hasher.combine(members)
    }
  }
}

extension JSON.Member: Hashable {
  public static func == (left: JSON.Member, right: JSON.Member) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(Array(name.utf8))
    hasher.combine(value)
  }
}
