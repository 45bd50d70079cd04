// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Values of type mixed as the instructions that build them: the wire has no collection as a value (protocol §6.5).
extension Instruction {
  /// The instructions that set a property, a dictionary entry or a list element to a value.
  ///
  /// - Parameters:
  ///   - path: the place; a list element has to be there.
  ///   - detail: the length of the list if the path ends in an index.
  ///   - replacing: whether there may be contents, from which nothing is to stay. An update alone keeps the elements of
  ///     a collection of the same kind. Null comes first then: to clear the collection afterwards does the same, but
  ///     another peer's clearing can cancel that and leave the update (Docs/Merge.md).
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

  /// The instructions that insert a value into a list.
  ///
  /// - Parameter path: ends in the index.
  public static func inserting(_ value: Value, at path: PropertyPath, priorSize: UInt32) -> [Instruction] {
    var instructions: [Instruction] = [
      .arrayInsert(path, Payload(placing: value), priorSize: priorSize)
    ]
    appendContents(of: value, at: path, to: &instructions)
    return instructions
  }

  /// Builds the contents of a collection that is empty.
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
  /// What begins a value: the value itself, or the kind of collection.
  public init(placing value: Value) {
    switch value {
    case .list: self = .list
    case .dictionary: self = .dictionary
    default: self = .value(value)
    }
  }
}

extension PropertyPath {
  /// The path to what is inside of this place.
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
