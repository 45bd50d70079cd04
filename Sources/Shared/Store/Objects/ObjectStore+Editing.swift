// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// The one way in which the value in a place changes, whether the app writes it or a changeset brings it (protocol §6.7).
extension ObjectStore {
  /// Makes a change on behalf of the app, and captures it.
  ///
  /// - Returns: Whether anything changed: false for a value that a set already contains, and for one or a key that is
  ///   not there to be removed. Then nothing is captured.
  /// - Throws: `ObjectError`.
  @discardableResult
  public func write(_ edit: Edit, at place: Place) throws -> Bool {
    guard try perform(edit, at: place) else { return false }
    if let capture { capture.append(Instruction(edit, at: try path(to: place))) }
    return true
  }

  /// Makes several changes on behalf of the app.
  ///
  /// - Parameter place: The place from which the steps of each lead to its own.
  public func write(_ edits: [Edit.Step], at place: Place) throws {
    // Known beforehand, so that the value to be replaced is not lost to an edit that is refused.
    if edits.contains(where: { $0.steps.isEmpty && $0.edit.makesCollection }),
      place.column.storage.type == .mixed, place.steps.count >= MixedCoding.greatestDepth
    {
      throw ObjectError(.nestedTooDeeply(limit: MixedCoding.greatestDepth))
    }
    for (steps, edit) in edits { try write(edit, at: place.appending(steps)) }
  }

  /// Makes a change.
  ///
  /// - Returns: Whether anything changed.
  /// - Throws: `ObjectError` for a change that violates a rule. It has no effect.
  func perform(_ edit: Edit, at place: Place) throws -> Bool {
    if try performInsideMixed(edit, at: place) { return true }
    if openMixed != nil { try flush() }
    let (row, column) = (place.row, place.column)
    switch edit {
    case .update(let payload, _): return try update(place, payload)
    case .addInteger(let delta): try add(delta, to: place)
    case .arrayInsert(let payload, let priorSize):
      let index = try place.index()
      try checkSize(priorSize, row: row, column)
      guard payload == .object else {
        try listInsert(try value(payload, column), at: index, row: row, column)
        return true
      }
      _ = try listEmbed(at: index, row: row, column)
    case .arrayMove(let to, let priorSize):
      let index = try place.index()
      try checkSize(priorSize, row: row, column)
      guard index != Int(to) else { throw ObjectError(.wrongPath("an element cannot move to its own index")) }
      try listMove(from: index, to: Int(to), row: row, column)
    case .arrayErase(let priorSize):
      let index = try place.index()
      try checkSize(priorSize, row: row, column)
      try listErase(at: index, row: row, column)
    case .clear(let kind):
      // Peers that speak a protocol version before 13 write `.single`, meaning any kind of collection.
      try place.require(kind == .single ? column.schema.collection : kind)
      try clearElements(row: row, column)
    case .setInsert(let payload):
      try place.require(.set)
      return try setInsert(try value(payload), row: row, column)
    case .setErase(let payload):
      try place.require(.set)
      let value = try value(payload)
      // No peer implements that.
      guard value != .null || column.storage.type == .mixed else { throw ObjectError(.notNullable) }
      return try setErase(value, row: row, column)
    }
    return true
  }

  /// Returns the path by which instructions lead to a place.
  ///
  /// - Throws: `ObjectError.Reason.missingObject`.
  func path(to place: Place) throws -> PropertyPath {
    let path = try path(to: place.column.schema.name, row: place.row, in: place.column.table)
    return place.steps.isEmpty ? path : path.appending(Array(place.steps))
  }

  // MARK: Values

  /// Returns the scalar of a payload.
  private func value(_ payload: Payload) throws -> Value {
    switch payload {
    case .value(let value) where !value.isCollection: return value
    case .globalKey: return .null
    case .value, .object, .dictionary, .list, .set, .erased:
      throw ObjectError(.wrongPath("the property cannot hold the payload '\(payload)'"))
    }
  }

  /// Returns the value that a payload creates as an element of a collection, which may be of type mixed.
  private func value(_ payload: Payload, _ column: Column) throws -> Value {
    guard column.storage.type == .mixed else { return try value(payload) }
    switch payload {
    case .list: return .list([])
    case .dictionary: return .dictionary([])
    default: return try value(payload)
    }
  }

  /// - Returns: Whether anything changed.
  private func update(_ place: Place, _ payload: Payload) throws -> Bool {
    let (row, column) = (place.row, place.column)
    if column.schema.collection == .dictionary {
      let key = try place.key()
      switch payload {
      case .erased: return try dictionaryErase(key, row: row, column)
      case .object: _ = try dictionaryEmbed(key, row: row, column)
      default: try dictionarySet(try value(payload), of: key, row: row, column)
      }
    } else if payload == .object {
      try updateToObject(place)
    } else if place.steps.isEmpty {
      try set(try value(payload), row: row, column)
    } else {
      try listSet(try value(payload), at: try place.index(), row: row, column)
    }
    return true
  }

  /// Creates an embedded object unless one exists.
  private func updateToObject(_ place: Place) throws {
    let (row, column) = (place.row, place.column)
    guard column.isEmbedded, column.isSingle || !place.steps.isEmpty else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' does not hold embedded objects"))
    }
    guard place.steps.isEmpty else {
      _ = try listValue(at: try place.index(), row: row, column)
      return
    }
    guard try storedValue(row: row, column) == .null else { return }
    _ = try embed(row: row, column)
  }

  private func add(_ delta: Int64, to place: Place) throws {
    let (row, column) = (place.row, place.column)
    guard place.steps.isEmpty, column.isSingle else {
      throw ObjectError(.wrongPath("only a property can be incremented"))
    }
    guard column.storage.type == .int || column.storage.type == .mixed else {
      throw ObjectError(.wrongType(expected: .int, found: column.storage.type))
    }
    switch try storedValue(row: row, column) {
    case .int(let value): try set(.int(value &+ delta), row: row, column)
    case .null: break
    case let value: throw ObjectError(.wrongType(expected: .int, found: value.type ?? .mixed))
    }
  }

  private func checkSize(_ expected: UInt32, row: Int64, _ column: Column) throws {
    let size = try changeableEnd(row: row, column).count
    guard size == Int(expected) else {
      throw ObjectError(.wrongPriorSize(expected: Int(expected), found: size))
    }
  }
}
