// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A change in one place: an instruction without the path that leads there.
public enum Edit: Hashable, Sendable {
  /// Sets the value.
  case update(Payload, UpdateDetail = .isDefault(false))
  /// Adds to an integer.
  case addInteger(Int64)
  /// Inserts the element to which the place then leads.
  case arrayInsert(Payload, priorSize: UInt32)
  /// Moves the element in the place to another index.
  case arrayMove(to: UInt32, priorSize: UInt32)
  /// Erases the element in the place.
  case arrayErase(priorSize: UInt32)
  /// Empties the collection.
  case clear(CollectionKind)
  /// Adds a value to the set.
  case setInsert(Payload)
  /// Removes a value from the set.
  case setErase(Payload)

  /// An edit, and the steps to its place from that of another one.
  public typealias Step = (steps: [PathElement], edit: Edit)

  /// Returns the edits that set a property, a dictionary entry or a list element to a value, which may be a collection:
  /// the wire cannot carry one as a value (protocol §6.5).
  ///
  /// - Parameters:
  ///   - detail: The length of the list if the place is an element.
  ///   - replacing: Whether the place may already have contents, all of which must go. An update alone keeps the
  ///     elements of a collection of the same kind, so null is written first. Clearing the collection afterwards
  ///     would have the same effect, but a concurrent clear by another peer can cancel that clear and leave only the
  ///     update (Docs/Merge.md).
  public static func placing(_ value: Value, _ detail: UpdateDetail = .isDefault(false), replacing: Bool)
    -> [Step]
  {
    let removal: [Step] =
      replacing && value.collectionKind != nil ? [([], .update(.value(.null), detail))] : []
    return removal + [([], .update(Payload(placing: value), detail))] + contents(of: value)
  }

  /// Returns the edits that insert a value into a list, at the index to which the place leads.
  public static func inserting(_ value: Value, priorSize: UInt32) -> [Step] {
    [([], .arrayInsert(Payload(placing: value), priorSize: priorSize))] + contents(of: value)
  }

  /// Returns the edits that fill an empty collection.
  private static func contents(of value: Value) -> [Step] {
    switch value {
    case .list(let elements):
      elements.enumerated().flatMap { index, element in
        let index = UInt32(truncatingIfNeeded: index)
        return inserting(element, priorSize: index).map { ([.index(index)] + $0.steps, $0.edit) }
      }
    case .dictionary(let entries):
      entries.flatMap { entry in
        placing(entry.value, replacing: false).map { ([.name(entry.key)] + $0.steps, $0.edit) }
      }
    default: []
    }
  }
}

extension Instruction {
  /// Creates the instruction that makes an edit in the place to which a path leads.
  public init(_ edit: Edit, at path: PropertyPath) {
    switch edit {
    case .update(let payload, let detail): self = .update(path, payload, detail)
    case .addInteger(let delta): self = .addInteger(path, delta: delta)
    case .arrayInsert(let payload, let priorSize): self = .arrayInsert(path, payload, priorSize: priorSize)
    case .arrayMove(let to, let priorSize): self = .arrayMove(path, to: to, priorSize: priorSize)
    case .arrayErase(let priorSize): self = .arrayErase(path, priorSize: priorSize)
    case .clear(let kind): self = .clear(path, kind)
    case .setInsert(let payload): self = .setInsert(path, payload)
    case .setErase(let payload): self = .setErase(path, payload)
    }
  }

  /// The change in a place; nil for instructions on the schema and on entire objects.
  public var edit: (path: PropertyPath, edit: Edit)? {
    switch self {
    case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject: nil
    case .update(let path, let payload, let detail): (path, .update(payload, detail))
    case .addInteger(let path, let delta): (path, .addInteger(delta))
    case .arrayInsert(let path, let payload, let priorSize):
      (path, .arrayInsert(payload, priorSize: priorSize))
    case .arrayMove(let path, let to, let priorSize): (path, .arrayMove(to: to, priorSize: priorSize))
    case .arrayErase(let path, let priorSize): (path, .arrayErase(priorSize: priorSize))
    case .clear(let path, let kind): (path, .clear(kind))
    case .setInsert(let path, let payload): (path, .setInsert(payload))
    case .setErase(let path, let payload): (path, .setErase(payload))
    }
  }

  /// Returns the instructions that set the place of a path to a value (`Edit.placing`).
  public static func placing(
    _ value: Value,
    at path: PropertyPath,
    _ detail: UpdateDetail = .isDefault(false),
    replacing: Bool
  ) -> [Instruction] {
    // Most values are plain, and an object has many of them.
    guard value.isCollection else { return [.update(path, .value(value), detail)] }
    return Edit.placing(value, detail, replacing: replacing).map {
      Instruction($0.edit, at: path.appending($0.steps))
    }
  }

  /// Returns the instructions that insert a value into a list.
  ///
  /// - Parameter path: A path that ends in the index of the new element.
  public static func inserting(_ value: Value, at path: PropertyPath, priorSize: UInt32) -> [Instruction] {
    guard value.isCollection else { return [.arrayInsert(path, .value(value), priorSize: priorSize)] }
    return Edit.inserting(value, priorSize: priorSize).map {
      Instruction($0.edit, at: path.appending($0.steps))
    }
  }
}
