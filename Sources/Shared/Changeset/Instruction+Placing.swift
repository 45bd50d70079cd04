// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Builds values of type mixed from instructions, because the wire cannot carry a collection as a value (protocol
/// §6.5).
extension Instruction {
  /// Returns the instructions that set a property, a dictionary entry or a list element to a value.
  ///
  /// - Parameters:
  ///   - path: The place to set. A list element must exist.
  ///   - detail: The length of the list if the path ends in an index.
  ///   - replacing: Whether the place may already have contents, all of which must go. An update alone keeps the
  ///     elements of a collection of the same kind, so null is written first. Clearing the collection afterwards
  ///     would have the same effect, but a concurrent clear by another peer can cancel that clear and leave only the
  ///     update (Docs/Merge.md).
  public static func placing(
    _ value: Value,
    at path: PropertyPath,
    _ detail: UpdateDetail = .isDefault(false),
    replacing: Bool
  ) -> [Instruction] {
    var instructions: [Instruction] = []
    if replacing, value.collectionKind != nil { instructions.append(.update(path, .value(.null), detail)) }
    instructions.append(.update(path, Payload(placing: value), detail))
    appendContents(of: value, at: path, to: &instructions)
    return instructions
  }

  /// Returns the instructions that insert a value into a list.
  ///
  /// - Parameter path: A path that ends in the index of the new element.
  public static func inserting(_ value: Value, at path: PropertyPath, priorSize: UInt32) -> [Instruction] {
    var instructions: [Instruction] = [
      .arrayInsert(path, Payload(placing: value), priorSize: priorSize)
    ]
    appendContents(of: value, at: path, to: &instructions)
    return instructions
  }

  /// Appends the instructions that fill an empty collection.
  private static func appendContents(
    of value: Value,
    at path: PropertyPath,
    to instructions: inout [Instruction]
  ) {
    switch value {
    case .list(let elements):
      for (index, element) in elements.enumerated() {
        let index = UInt32(truncatingIfNeeded: index)
        instructions += inserting(element, at: path.appending(.index(index)), priorSize: index)
      }
    case .dictionary(let entries):
      for entry in entries {
        instructions += placing(entry.value, at: path.appending(.name(entry.key)), replacing: false)
      }
    default: break
    }
  }
}

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
    PropertyPath(object: object, field: field, path: path + [element])
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
