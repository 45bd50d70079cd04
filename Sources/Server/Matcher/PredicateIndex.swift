// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The number of a predicate in an index. Numbers are small, and reused after a predicate has been removed.
public struct PredicateID: Hashable, Sendable {
  public let number: UInt32

  init(_ number: UInt32) {
    self.number = number
  }

  /// The number as an array index.
  public var offset: Int { Int(number) }
}

/// Finds which of many predicates on one class an object meets. The time depends on the number of matching
/// predicates, not on the total number (Docs/Matcher.md).
///
/// Equal predicates are stored once. The results are exactly those of the evaluator: the index finds candidates, and
/// each of them is evaluated. A value type; must not be used by several threads concurrently.
public struct PredicateIndex: Sendable {
  /// A predicate: its program and the position of its constants.
  struct Entry {
    var program: UInt32
    var firstConstant: UInt32
    /// The number of times it was added.
    var references: UInt32
    /// The first posting; `Posting.none` if the predicate has none or is residual.
    var firstPosting: UInt32
    /// The position among the residual predicates of the program; `Posting.none` if the predicate is found through
    /// postings.
    var residualPosition: UInt32
    /// The last search that examined the predicate.
    var search: UInt32
  }

  var entries: [Entry] = []
  var freeEntries: [UInt32] = []
  var programs = ProgramStore()
  var constants = ConstantStore()
  /// The predicates by program and constants.
  var identities = HashDirectory()
  var access: AccessIndex
  /// The predicates without access paths, which can only be found by evaluating each of them.
  var residual = ResidualPredicates()
  var slotList: [Slot] = []
  var search: UInt32 = 0
  var candidates: [UInt32] = []

  /// - Parameter seed: An unpredictable number, which prevents clients from choosing predicates with colliding
  ///   constants.
  public init(seed: UInt64 = .random(in: .min ... .max)) {
    access = AccessIndex(seed: seed)
  }

  /// The number of distinct predicates.
  public var count: Int { entries.count - freeEntries.count }

  /// The number of predicates that are evaluated for every change.
  public var residualCount: Int { residual.count }

  /// The names of the properties that images must contain, in this order. Grows as predicates are added.
  public var slots: [String] { slotList.map(\.name) }

  /// The memory used by the index in bytes, excluding the heap storage of long strings among the constants.
  public var byteCount: Int {
    entries.capacity * MemoryLayout<Entry>.stride + freeEntries.capacity * 4 + residual.byteCount
      + identities.byteCount + constants.byteCount + access.byteCount
  }

  // MARK: Adding and removing

  /// Adds a predicate. If an equal one exists, adds a reference to it instead.
  public mutating func add(_ predicate: Predicate) -> PredicateID {
    var compiler = ProgramCompiler(slots: slotList)
    let condition = compiler.compile(predicate)
    if compiler.slots.count > slotList.count { take(compiler.slots) }
    let program = programs.number(
      of: condition,
      constantCount: compiler.constants.count,
      slotMask: compiler.slotMask
    )
    let hash = PredicateIndex.identity(program, compiler.constants[...])
    if let position = identities.find(hash, where: { isEntry($0, program, compiler.constants) }) {
      let number = identities[position]
      entries[Int(number)].references += 1
      return PredicateID(number)
    }
    programs.retain(program)
    let number = insert(
      Entry(
        program: program,
        firstConstant: UInt32(constants.insert(compiler.constants)),
        references: 1,
        firstPosting: Posting.none,
        residualPosition: Posting.none,
        search: search
      )
    )
    // Capturing all of self would copy the table before it is modified.
    identities.insert(number, hash: hash) { [entries, programs, constants] number in
      PredicateIndex.identity(entries[Int(number)], programs, constants)
    }
    if let crowded = file(number) { disperse(crowded) }
    access.updateUsedSlots()
    return PredicateID(number)
  }

  /// Releases one reference. The predicate is removed with its last reference.
  public mutating func remove(_ id: PredicateID) {
    entries[id.offset].references -= 1
    guard entries[id.offset].references == 0 else { return }
    let hash = PredicateIndex.identity(entries[id.offset], programs, constants)
    if let position = identities.find(hash, where: { $0 == id.number }) { identities.remove(at: position) }
    unfile(id.number)
    let entry = entries[id.offset]
    constants.free(Int(entry.firstConstant), count: programs[entry.program].constantCount)
    programs.release(entry.program)
    freeEntries.append(id.number)
    access.updateUsedSlots()
  }

  private mutating func take(_ slots: [Slot]) {
    for slot in slots[slotList.count...] { access.slots.append(SlotAccess(slot)) }
    slotList = slots
  }

  private mutating func insert(_ entry: Entry) -> UInt32 {
    guard let number = freeEntries.popLast() else {
      entries.append(entry)
      return UInt32(entries.count - 1)
    }
    entries[Int(number)] = entry
    return number
  }

  private func isEntry(_ number: UInt32, _ program: UInt32, _ constants: [Value]) -> Bool {
    entries[Int(number)].program == program && ownConstants(number).elementsEqual(constants)
  }

  private static func identity(_ entry: Entry, _ programs: ProgramStore, _ constants: ConstantStore) -> UInt64
  {
    let count = programs[entry.program].constantCount
    return identity(entry.program, constants.values[Int(entry.firstConstant)...].prefix(count))
  }

  private static func identity(_ program: UInt32, _ constants: ArraySlice<Value>) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(program)
    for constant in constants { hasher.combine(constant) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  func ownConstants(_ number: UInt32) -> ArraySlice<Value> { constants.values[ownRange(number)] }

  func ownRange(_ number: UInt32) -> Range<Int> {
    let entry = entries[Int(number)]
    let first = Int(entry.firstConstant)
    return first..<first + programs[entry.program].constantCount
  }
}
