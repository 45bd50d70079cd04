// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The kinds of instructions, by rank. Pair rules are written for a left instruction of the lesser rank.
enum InstructionKind: Int, Comparable {
  case addTable, addColumn, eraseTable, eraseColumn, createObject, eraseObject
  case update, addInteger, clear, arrayInsert, arrayMove, arrayErase, setInsert, setErase

  static func < (left: InstructionKind, right: InstructionKind) -> Bool { left.rawValue < right.rawValue }
}

/// An instruction during a merge, with the fields that pair rules read and change exposed.
struct MergeOperand {
  /// The instruction as it entered the merge.
  let original: Instruction
  let table: String
  /// Nil for schema instructions.
  let object: ObjectReference?
  /// The property of an instruction with a path, or the column of a schema instruction.
  let field: String
  /// The position within a list, plus the fields common to all instructions.
  var step: ListStep
  /// Whether the instruction acts on an element of a list that is itself a property, as most list instructions do.
  let isPlainStep: Bool
  /// Whether a field outside `step` was altered.
  private var isChanged = false
  /// Whether a rule added the instruction to its changeset.
  private var isAdded = false

  /// Current only after a call to `settlePath`.
  var path: [PathElement] { didSet { isChanged = true } }
  var payload = Payload.erased { didSet { isChanged = true } }
  private(set) var isDefault = false
  private(set) var delta: Int64 = 0
  /// Whether the instruction is an update of a list element.
  private(set) var isElementUpdate = false
  private(set) var collection = CollectionKind.single
  /// Whether the next instruction clears the place of this one.
  let isCleared: Bool
  /// The reason the sides may differ at the place of this instruction.
  private(set) var doubt: MergeDoubt.Reason?

  /// - Parameter next: The instruction that follows in the changeset.
  init(_ instruction: Instruction, stamp: OriginStamp, next: Instruction? = nil) {
    original = instruction
    if case .clear(let place, _) = next {
      isCleared = place == instruction.path
    } else {
      isCleared = false
    }
    step = ListStep(instruction, stamp: stamp)
    isPlainStep = instruction.isPlainStep
    object = instruction.object
    path = instruction.path?.path ?? []
    switch instruction {
    case .addTable(let name, _, _), .eraseTable(let name): (table, field) = (name, "")
    case .addColumn(let name, let property, _): (table, field) = (name, property.name)
    case .eraseColumn(let name, let column): (table, field) = (name, column)
    default: (table, field) = (object?.table ?? "", instruction.path?.field ?? "")
    }
    loadOperands()
  }

  /// Creates an operand for an instruction that a rule adds.
  init(adding instruction: Instruction, stamp: OriginStamp) {
    self.init(instruction, stamp: stamp)
    isAdded = true
  }

  private mutating func loadOperands() {
    switch original {
    case .update(_, let payload, let detail):
      self.payload = payload
      switch detail {
      case .isDefault(let value): isDefault = value
      case .priorSize: isElementUpdate = true
      }
    case .addInteger(_, let delta): self.delta = delta
    case .arrayInsert(_, let payload, _), .setInsert(_, let payload), .setErase(_, let payload):
      self.payload = payload
    case .clear(_, let collection): self.collection = collection
    case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject, .arrayMove,
      .arrayErase:
      break
    }
    isChanged = false
  }

  /// The instruction after all rules were applied.
  var instruction: Instruction {
    guard isChanged || step.isChanged, let object else { return original }
    let path = PropertyPath(object: object, field: field, path: settledPath)
    switch kind {
    case .update:
      return .update(path, payload, isElementUpdate ? .priorSize(step.priorSize) : .isDefault(isDefault))
    case .addInteger: return .addInteger(path, delta: delta)
    case .clear: return .clear(path, collection)
    case .arrayInsert: return .arrayInsert(path, payload, priorSize: step.priorSize)
    case .arrayMove: return .arrayMove(path, to: step.destination, priorSize: step.priorSize)
    case .arrayErase: return .arrayErase(path, priorSize: step.priorSize)
    case .setInsert: return .setInsert(path, payload)
    case .setErase: return .setErase(path, payload)
    case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject: return original
    }
  }

  /// Whether the instruction changes its changeset by having been altered, discarded or added.
  var isAltered: Bool { isChanged || step.isChanged || isDiscarded || isAdded }

  var kind: InstructionKind { step.kind }

  var stamp: OriginStamp { step.stamp }

  var isDiscarded: Bool { step.isDiscarded }

  mutating func discard() { step.discard() }

  /// Notes that the sides may differ at this place. The first reason is kept.
  mutating func noteDoubt(_ reason: MergeDoubt.Reason) { doubt = doubt ?? reason }

  /// Whether the instruction is an update that turns its place into a collection and keeps the elements of an
  /// existing one.
  var mayKeepCollection: Bool { kind == .update && (payload == .list || payload == .dictionary) }

  /// Turns a Clear of a dictionary entry into a write of an empty collection, which does not require the entry to
  /// exist.
  mutating func becomeUpdate(to payload: Payload) {
    step.kind = .update
    self.payload = payload
  }
}

// MARK: - Places

extension MergeOperand {
  /// The depth that the instruction reaches. Of two that differ, the one with the lesser depth is the outer one
  /// (protocol §7.3).
  var depth: Int {
    switch kind {
    case .addTable, .eraseTable: 1
    case .addColumn, .eraseColumn, .createObject, .eraseObject: 2
    default: 3 + path.count
    }
  }

  var hasPath: Bool { kind >= .update }

  /// Whether the path ends in a list index.
  var endsInIndex: Bool {
    if case .index = path.last { true } else { false }
  }

  /// Copies the index from the step to the path after rules have changed the step.
  mutating func settlePath() {
    guard endsInIndex, path.last != .index(step.index) else { return }
    path = settledPath
  }

  /// The path with its current index.
  var settledPath: [PathElement] {
    guard endsInIndex else { return path }
    return path.dropLast() + [.index(step.index)]
  }

  func isLater(than other: MergeOperand) -> Bool { step.isLater(than: other.step) }

  func hasSamePath(as other: MergeOperand) -> Bool { field == other.field && path == other.path }

  /// Whether both paths end in an index into the same list.
  func hasSameList(as other: MergeOperand) -> Bool {
    field == other.field && path.count == other.path.count && endsInIndex && other.endsInIndex
      && path.dropLast() == other.path.dropLast()
  }

  /// Whether the path is a proper prefix of the other path, both on the same property.
  func isPrefix(of inner: MergeOperand) -> Bool {
    field == inner.field && path.count < inner.path.count && inner.path.starts(with: path)
  }

  /// Returns the index at which the longer path of `inner` passes through the list that this path ends in, or nil if
  /// it does not pass through that list.
  func indexInList(of inner: MergeOperand) -> UInt32? {
    guard field == inner.field, endsInIndex, path.count < inner.path.count,
      case .index(let index) = inner.path[path.count - 1], inner.path.starts(with: path.dropLast())
    else { return nil }
    return index
  }
}

extension Instruction {
  var kind: InstructionKind {
    switch self {
    case .addTable: .addTable
    case .eraseTable: .eraseTable
    case .createObject: .createObject
    case .eraseObject: .eraseObject
    case .update: .update
    case .addInteger: .addInteger
    case .addColumn: .addColumn
    case .eraseColumn: .eraseColumn
    case .arrayInsert: .arrayInsert
    case .arrayMove: .arrayMove
    case .arrayErase: .arrayErase
    case .clear: .clear
    case .setInsert: .setInsert
    case .setErase: .setErase
    }
  }
}
