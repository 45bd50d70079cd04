// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension PropertySchema {
  /// The type in the words of Realm's messages about migrations, which do not say whether it is optional.
  package var typeName: String {
    switch collection {
    case .single: linkTarget.map { "<\($0)>" } ?? type.name
    case .list: "array<\(linkTarget ?? type.name)>"
    case .set: "set<\(linkTarget ?? type.name)>"
    case .dictionary: "dictionary<string, \(linkTarget ?? type.name)>"
    }
  }
}

extension ValueType {
  fileprivate var name: String {
    switch self {
    case .binary: "data"
    case .decimal: "decimal"
    case .timestamp: "date"
    case .objectId: "object id"
    case .link: "object"
    default: description
    }
  }
}
