// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Reapplies local changes to objects that others have changed since: unacknowledged changes to the state of a
/// fresh copy (protocol §9.4.4), and rejected writes that are resubmitted.
///
/// Changes that no longer have a place are left out. List elements are only changed one by one while they stem from
/// recovered changes; otherwise the entire list is restored to its contents before the reset. If those are not
/// available, the elements are assumed to be the original ones if the list still has its original length, and are
/// left alone if not.
final class ChangeRecovery {
  private enum ListState {
    case repeated(ListRecovery)
    /// Restored in full at the end of the changeset.
    case copied
  }

  /// The file, holding the state of the fresh copy.
  private let store: ObjectStore
  /// The file as it was before the reset; nil if not available.
  private let former: ObjectStore?
  /// The objects that recovered changes created.
  private var created: Set<ObjectReference> = []
  /// The lists of each object that recovered changes led to, by path. The paths consist of names only.
  private var lists: [ObjectReference: [PropertyPath: ListState]] = [:]
  /// The lists to copy, in the order in which they were found.
  private var dueCopies: [PropertyPath] = []
  /// The instructions of the current changeset that were applied.
  private var applied: [Instruction] = []

  init(store: ObjectStore, former: ObjectStore?) {
    self.store = store
    self.former = former
  }

  /// Applies a changeset; the changesets must be passed in the order in which they were made.
  ///
  /// - Returns: the applied instructions, which replace the changeset in the history.
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
      throw ClientResetError("a local change removes classes or properties, which cannot be recovered")
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
      throw ClientResetError("a local schema change conflicts with the server's schema: \(error)")
    }
  }

  /// Applies an instruction.
  ///
  /// - Returns: false, without any effect, if it does not fit the current state.
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

  /// Whether the lists inside a place are kept.
  private func keepsContents(_ instruction: Instruction, at path: PropertyPath) throws -> Bool {
    switch instruction {
    case .update(_, .list, _): try store.nestedValue(at: path)?.collectionKind == .list
    case .update(_, .dictionary, _): try store.nestedValue(at: path)?.collectionKind == .dictionary
    // As a property, an existing object stays; as a dictionary entry, it is always new.
    case .update(_, .object, _): try store.embeddedObjectStays(at: path)
    case .update, .clear: false
    default: true
    }
  }

  /// Forgets the lists in a place, because new ones have replaced them.
  private func forgetLists(in path: PropertyPath) {
    guard let known = lists[path.object] else { return }
    lists[path.object] = known.filter { !path.leadsTo($0.key) }
    dueCopies.removeAll(where: path.leadsTo)
  }

  private func set(_ state: ListState, of list: PropertyPath) {
    lists[list.object, default: [:]][list] = state
  }

  // MARK: Lists

  /// Repeats a change to an element of a list, or inside one. The inside of an element made by recovered changes
  /// was made by them as well, so only the first index differs.
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

  /// Returns the state of a list; nil if the list no longer exists.
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
    // A change inside an element does not carry the length of the list.
    let isUnchanged = instruction.priorSize.map { Int($0) == count } ?? true
    return .repeated(isUnchanged ? ListRecovery(unchangedCount: count) : ListRecovery(count: count))
  }

  /// Whether a list already equals the one before the reset: the server has the changes and merely could not
  /// acknowledge them.
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

  /// Returns the instructions that restore a list to its state before the reset; nil if it is missing now or was
  /// then.
  private func differences(of list: PropertyPath) throws -> [Instruction]? {
    guard let former else { return nil }
    if let wanted = try former.listProperty(at: list), let present = try store.listProperty(at: list) {
      var difference = StateDifference(from: former, to: store)
      try difference.compareCollection(
        StateDifference.CollectionPlace(row: wanted.row, column: wanted.column),
        StateDifference.CollectionPlace(row: present.row, column: present.column),
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
  /// The length of the list before the instruction changes it.
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

  /// Whether the other path equals this one or extends it.
  fileprivate func leadsTo(_ other: PropertyPath) -> Bool {
    object == other.object && field == other.field && other.path.starts(with: path)
  }
}
