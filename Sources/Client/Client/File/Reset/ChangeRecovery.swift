// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Applies local changes again to objects that others have changed meanwhile: those that the server has not
/// acknowledged to the state of a fresh copy (protocol §9.4.4), and rejected writes that are resubmitted.
///
/// What no longer has a place is left out. Elements of a list are only touched one by one as long as recovered
/// changes made them; otherwise the whole list becomes what it was before the reset. Where that is not known, the
/// elements are taken for those that they were if the list is as long as it was, and are left alone if not.
final class ChangeRecovery {
  private enum ListState {
    case repeated(ListRecovery)
    /// Becomes as a whole what it was, at the end of the changeset.
    case copied
  }

  /// The file, with the state of the fresh copy.
  private let store: ObjectStore
  /// The file as it was before the reset; nil if that is not known.
  private let former: ObjectStore?
  /// Objects that recovered changes created.
  private var created: Set<ObjectReference> = []
  /// The lists of each object that recovered changes led to, by paths, which are made of names only.
  private var lists: [ObjectReference: [PropertyPath: ListState]] = [:]
  /// Lists to copy, in the order in which that was found.
  private var dueCopies: [PropertyPath] = []
  /// What was applied of the present changeset.
  private var applied: [Instruction] = []

  init(store: ObjectStore, former: ObjectStore?) {
    self.store = store
    self.former = former
  }

  /// Applies a changeset; they are given in the order in which they were made.
  ///
  /// - Returns: What has been applied, to replace the changeset in the history.
  /// - Throws: `ClientResetError` if the schema changes cannot be repeated, `StorageError`.
  func recover(_ instructions: [Instruction]) throws -> [Instruction] {
    applied = []
    for instruction in instructions { try recover(instruction) }
    for path in dueCopies { try copyList(at: path) }
    dueCopies = []
    try store.eraseAsymmetricObjects()
    try store.flush()
    return applied
  }

  private func recover(_ instruction: Instruction) throws {
    switch instruction {
    case .addTable, .addColumn: try declare(instruction)
    case .eraseTable, .eraseColumn:
      throw ClientResetError("a local change takes classes or properties away, which cannot be recovered")
    case .createObject(let object):
      let isNew = try store.row(of: object) == nil
      guard try attempt(instruction) else { return }
      if isNew { created.insert(object) }
    case .eraseObject(let object):
      guard try store.row(of: object) != nil, try attempt(instruction) else { return }
      created.remove(object)
      lists[object] = nil
      dueCopies.removeAll { $0.object == object }
    case .update(let path, _, .isDefault(true)) where !created.contains(path.object): break
    case .update, .addInteger, .arrayInsert, .arrayMove, .arrayErase, .clear, .setInsert, .setErase:
      try change(instruction)
    }
  }

  private func declare(_ instruction: Instruction) throws {
    do {
      try store.apply(instruction)
      applied.append(instruction)
    } catch let error as ApplyError {
      throw ClientResetError("a local change of the schema does not fit the server's: \(error)")
    }
  }

  /// Applies an instruction.
  ///
  /// - Returns: False if it does not fit what is there; then nothing has happened.
  private func attempt(_ instruction: Instruction) throws -> Bool {
    do {
      try store.apply(instruction)
    } catch is ApplyError {
      return false
    }
    applied.append(instruction)
    return true
  }

  // MARK: Places

  private func change(_ instruction: Instruction) throws {
    guard let path = instruction.path else { return }
    if let depth = path.path.firstIndex(where: \.isIndex) {
      return try changeElement(of: path.prefix(depth), instruction)
    }
    if case .clear(_, .list) = instruction {
      if case .copied = lists[path.object]?[path] { return }
      guard try attempt(instruction) else { return }
      forgetLists(in: path)
      set(.repeated(ListRecovery(count: 0)), of: path)
      return
    }
    let keeps = try keepsContents(instruction, at: path)
    guard try attempt(instruction), !keeps else { return }
    forgetLists(in: path)
  }

  /// Whether the lists inside of a place stay what they are.
  private func keepsContents(_ instruction: Instruction, at path: PropertyPath) throws -> Bool {
    switch instruction {
    case .update(_, .list, _): try store.nestedValue(at: path)?.collectionKind == .list
    case .update(_, .dictionary, _): try store.nestedValue(at: path)?.collectionKind == .dictionary
    // As a property it stays what it is if it is there; as a dictionary's entry it is always new.
    case .update(_, .object, _): try store.embeddedObjectStays(at: path)
    case .update, .clear: false
    default: true
    }
  }

  /// The lists in a place are new ones.
  private func forgetLists(in path: PropertyPath) {
    guard let known = lists[path.object] else { return }
    lists[path.object] = known.filter { !path.leadsTo($0.key) }
    dueCopies.removeAll(where: path.leadsTo)
  }

  private func set(_ state: ListState, of list: PropertyPath) {
    lists[list.object, default: [:]][list] = state
  }

  // MARK: Lists

  /// Repeats a change to an element of a list, or inside of one. What is inside of an element that recovered changes
  /// made is theirs as well, so that only the first index differs.
  private func changeElement(of list: PropertyPath, _ instruction: Instruction) throws {
    guard let state = try state(of: list, before: instruction), case .repeated(var recovery) = state
    else { return }
    guard let repeated = instruction.repeated(in: list, &recovery) else {
      guard former != nil else { return }
      set(.copied, of: list)
      dueCopies.append(list)
      return
    }
    if let repeated = repeated.instruction {
      guard try attempt(repeated) else { return }
    }
    set(.repeated(recovery), of: list)
  }

  /// The state of a list; nil if there is none any more.
  private func state(of list: PropertyPath, before instruction: Instruction) throws -> ListState? {
    if let known = lists[list.object]?[list] { return known }
    guard let count = try store.listCount(at: list) else { return nil }
    let state = try initialState(of: list, count: count, before: instruction)
    set(state, of: list)
    return state
  }

  private func initialState(of list: PropertyPath, count: Int, before instruction: Instruction) throws
    -> ListState
  {
    guard former == nil else {
      return try isSame(list) ? .copied : .repeated(ListRecovery(count: count))
    }
    // What is inside of an element does not say how long the list was.
    let isUnchanged = instruction.priorSize.map { Int($0) == count } ?? true
    return .repeated(isUnchanged ? ListRecovery(unchangedCount: count) : ListRecovery(count: count))
  }

  /// Whether a list is already what it was before the reset: the server has the changes, and only could not say so.
  private func isSame(_ list: PropertyPath) throws -> Bool {
    try differences(of: list)?.isEmpty ?? false
  }

  private func copyList(at path: PropertyPath) throws {
    for instruction in try differences(of: path) ?? [] {
      guard try attempt(instruction) else {
        throw ClientResetError("the list '\(path.object.table).\(path.field)' cannot be copied")
      }
    }
  }

  /// What makes a list what it was before the reset; nil if it is missing now, or was then.
  private func differences(of list: PropertyPath) throws -> [Instruction]? {
    guard let former else { return nil }
    if let wanted = try former.listProperty(at: list), let present = try store.listProperty(at: list) {
      var difference = StateDifference(from: former, to: store)
      try difference.compareCollection(
        StateDifference.CollectionPlace(wanted.row, wanted.column),
        StateDifference.CollectionPlace(present.row, present.column),
        present.column,
        at: list
      )
      return difference.instructions
    }
    guard case .list(let wanted)? = try former.nestedValue(at: list),
      case .list(let present)? = try store.nestedValue(at: list)
    else { return nil }
    return wanted == present ? [] : Instruction.placing(.list(wanted), at: list, replacing: true)
  }
}

extension Instruction {
  /// The length of the list that the instruction changes, before it.
  fileprivate var priorSize: UInt32? {
    switch self {
    case .arrayInsert(_, _, let size), .arrayMove(_, _, let size), .arrayErase(_, let size),
      .update(_, _, .priorSize(let size)):
      size
    default: nil
    }
  }
}

extension PathElement {
  fileprivate var isIndex: Bool {
    if case .index = self { true } else { false }
  }
}

extension PropertyPath {
  fileprivate func prefix(_ length: Int) -> PropertyPath {
    PropertyPath(object: object, field: field, path: Array(path.prefix(length)))
  }

  /// Whether the other path is this one or goes on from it.
  fileprivate func leadsTo(_ other: PropertyPath) -> Bool {
    object == other.object && field == other.field && other.path.starts(with: path)
  }
}
