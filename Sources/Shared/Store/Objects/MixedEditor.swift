// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Makes edits inside a single value of type mixed (protocol §6.7). A rejected edit changes nothing.
package struct MixedEditor {
  /// Checks a scalar before it is written.
  let check: (Value) throws -> Void

  package init(check: @escaping (Value) throws -> Void) { self.check = check }

  /// Makes an edit.
  ///
  /// - Parameters:
  ///   - value: The value that the edit's place is inside of.
  ///   - path: The remaining steps from this value.
  ///   - depth: The number of collections that enclose `value`.
  /// - Throws: `ObjectError`, or any error that `check` throws.
  package func apply(_ edit: Edit, to value: inout Value, path: ArraySlice<PathElement>, depth: Int)
    throws
  {
    guard let step = path.first else { return try apply(edit, at: &value, depth) }
    switch (step, value) {
    case (.index(let index), .list(var elements)):
      // Ensures that there is only one reference to the elements, so that they are changed in place.
      value = .null
      defer { value = .list(elements) }
      try apply(edit, toElement: Int(index), of: &elements, path.dropFirst(), depth + 1)
    case (.name(let name), .dictionary(var entries)):
      value = .null
      defer { value = .dictionary(entries) }
      try apply(edit, toEntry: name, of: &entries, path.dropFirst(), depth + 1)
    default:
      throw ObjectError(.missingPlace("the path goes through a value that is not a \(step.collectionName)"))
    }
  }

  // MARK: Steps

  private func apply(
    _ edit: Edit,
    toElement index: Int,
    of elements: inout [Value],
    _ path: ArraySlice<PathElement>,
    _ depth: Int
  ) throws {
    if path.isEmpty {
      switch edit {
      case .arrayInsert(let payload, let priorSize):
        try checkSize(of: elements, Int(priorSize))
        guard index <= elements.count else { throw outOfRange(index, elements) }
        return elements.insert(try value(payload, depth), at: index)
      case .arrayMove(let to, let priorSize):
        try checkSize(of: elements, Int(priorSize))
        guard index < elements.count, to < elements.count else {
          throw outOfRange(max(index, Int(to)), elements)
        }
        guard index != to else { throw ObjectError(.wrongPath("an element cannot move to its own index")) }
        return elements.insert(elements.remove(at: index), at: Int(to))
      case .arrayErase(let priorSize):
        try checkSize(of: elements, Int(priorSize))
        guard index < elements.count else { throw outOfRange(index, elements) }
        elements.remove(at: index)
        return
      case .addInteger: throw ObjectError(.wrongPath("only a property can be incremented"))
      case .update(.object, _):
        guard index < elements.count else { throw outOfRange(index, elements) }
        return
      default: break
      }
    }
    guard index < elements.count else { throw outOfRange(index, elements) }
    try apply(edit, to: &elements[index], path: path, depth: depth)
  }

  private func apply(
    _ edit: Edit,
    toEntry key: String,
    of entries: inout [DictionaryEntry],
    _ path: ArraySlice<PathElement>,
    _ depth: Int
  ) throws {
    let (index, isThere) = Self.position(of: key, in: entries)
    if path.isEmpty {
      switch edit {
      case .update(.erased, _):
        if isThere { entries.remove(at: index) }
        return
      case .update where !isThere:
        var value = Value.null
        try apply(edit, at: &value, depth)
        return entries.insert(DictionaryEntry(key, value), at: index)
      case .addInteger: throw ObjectError(.wrongPath("only a property can be incremented"))
      default: break
      }
    }
    guard isThere else { throw ObjectError(.missingPlace("the dictionary has no key '\(key)'")) }
    try apply(edit, to: &entries[index].value, path: path, depth: depth)
  }

  /// Returns the position of a key, or the position where it would be inserted.
  package static func position(of key: String, in entries: [DictionaryEntry]) -> (index: Int, isThere: Bool) {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      let order = UTF8Order.compare(entries[middle].key, key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  // MARK: The end of the path

  private func apply(_ edit: Edit, at value: inout Value, _ depth: Int) throws {
    switch edit {
    case .update(.list, _) where value.collectionKind == .list: break
    case .update(.dictionary, _) where value.collectionKind == .dictionary: break
    case .update(let payload, _): value = try self.value(payload, depth)
    case .clear(.list): value = try self.value(.list, depth)
    case .clear(.dictionary): value = try self.value(.dictionary, depth)
    case .clear(let kind): throw ObjectError(.wrongPath("a mixed value cannot become a \(kind)"))
    case .addInteger(let delta): try add(delta, to: &value)
    case .setInsert, .setErase: throw ObjectError(.wrongPath("a mixed value cannot hold a set"))
    default: throw ObjectError(.wrongPath("a path into a list must end in an index"))
    }
  }

  private func add(_ delta: Int64, to value: inout Value) throws {
    switch value {
    case .int(let number): value = .int(number &+ delta)
    case .null: break
    default: throw ObjectError(.wrongType(expected: .int, found: value.type ?? .mixed))
    }
  }

  /// Returns the value that a payload creates in an empty place.
  private func value(_ payload: Payload, _ depth: Int) throws -> Value {
    switch payload {
    case .value(let value):
      try check(value)
      return value
    case .globalKey: return .null
    case .list, .dictionary:
      guard depth < MixedCoding.greatestDepth else {
        throw ObjectError(.nestedTooDeeply(limit: MixedCoding.greatestDepth))
      }
      return payload == .list ? .list([]) : .dictionary([])
    case .object, .set, .erased:
      throw ObjectError(.wrongPath("a mixed value cannot hold the payload '\(payload)'"))
    }
  }

  private func checkSize(of elements: [Value], _ expected: Int) throws {
    guard elements.count == expected else {
      throw ObjectError(.wrongPriorSize(expected: expected, found: elements.count))
    }
  }

  private func outOfRange(_ index: Int, _ elements: [Value]) -> ObjectError {
    ObjectError(.indexOutOfRange(index: index, size: elements.count))
  }
}

extension PathElement {
  /// The kind of collection that has such elements.
  fileprivate var collectionName: String {
    switch self {
    case .index: "list"
    case .name: "dictionary"
    }
  }
}
