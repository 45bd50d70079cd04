// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Payload {
  /// The payload that starts a value: the value itself, or the kind of the collection.
  public init(placing value: Value) {
    switch value {
    case .list: self = .list
    case .dictionary: self = .dictionary
    default: self = .value(value)
    }
  }
}

extension PropertyPath {
  /// Returns the path extended by one step into this place.
  public func appending(_ element: PathElement) -> PropertyPath {
    appending([element])
  }

  /// Returns the path extended by steps into this place.
  public func appending(_ steps: [PathElement]) -> PropertyPath {
    PropertyPath(object: object, field: field, path: path + steps)
  }
}

extension Value {
  /// The kind of a collection nested in a mixed; nil for scalars.
  public var collectionKind: CollectionKind? {
    switch self {
    case .list: .list
    case .dictionary: .dictionary
    default: nil
    }
  }
}
