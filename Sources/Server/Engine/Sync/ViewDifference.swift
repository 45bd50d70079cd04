// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore
import FlexSyncStore

/// Reads what a new view has and an old one had not, and the reverse, some of it at a time (protocol §4.4). Objects of
/// which other properties may be seen than before are sent anew.
struct ViewDifference {
  /// Objects of one class that come or go.
  private struct Phase {
    let className: String
    let wanted: Predicate
    let unwanted: Predicate
    let isErasing: Bool
  }

  /// How many objects of the first phases there are.
  private struct Counting {
    var phases: ArraySlice<Phase>
    var scan: ViewScan?
    var count: Int64 = 0
  }

  private let view: View
  /// Objects that are not erased.
  private let spared: Set<ObjectReference>
  private let allPhases: [Phase]
  private var phases: ArraySlice<Phase>
  private var scan: ViewScan?
  /// Counts what is still to be read, when that is asked for.
  private var counting: Counting?
  /// How many objects have been read.
  private var readCount: Int64 = 0
  /// The milliseconds of a monotonic clock; nil if the reading need not give way.
  private let now: (() -> UInt64)?
  /// Instructions that have been read and not returned yet, and about how many bytes they take.
  private var instructions: [Instruction] = []
  private var estimate = 0

  /// - Parameters:
  ///   - held: what the client has.
  ///   - spared: objects of these views that are not erased, since the client has never heard of them.
  ///   - now: the milliseconds of a monotonic clock; nil if the reading need not give way.
  init(
    from held: HeldView,
    to view: View,
    sparing spared: Set<ObjectReference> = [],
    now: (() -> UInt64)? = nil
  ) {
    self.view = view
    self.spared = spared
    self.now = now
    let leaving = held.classNames.map { name in
      Phase(
        className: name,
        wanted: held.possiblePredicate(of: name),
        unwanted: view.predicate(of: name),
        isErasing: true
      )
    }
    let entering = view.classNames.map { name in
      Phase(
        className: name,
        wanted: view.predicate(of: name),
        unwanted: view.showsTheSame(of: name, as: held.sure) ? held.sure.predicate(of: name) : .never,
        isErasing: false
      )
    }
    allPhases = leaving + entering
    phases = allPhases[...]
  }

  /// How much has been read, 0…1: of what the client gets, so that it does not tell how much else there is. 1 if nothing
  /// of it is left.
  ///
  /// - Parameter objects: as for `next`.
  /// - Returns: The part; nil if it is not known before a further turn.
  mutating func progress(in objects: ObjectStore, _ meter: TurnMeter) throws -> Double? {
    var counting = counting ?? Counting(phases: allPhases[...])
    defer { self.counting = counting }
    while let phase = counting.phases.first {
      if meter.isExhausted { return nil }
      guard let scan = try counting.scan ?? makeScan(phase, objects), case let step = try scan.next(),
        step != .end
      else {
        counting.phases.removeFirst()
        counting.scan = nil
        continue
      }
      counting.scan = scan
      if case .found(_, let key) = step, !isSpared(key, phase) { counting.count += 1 }
      meter.count()
    }
    return counting.count == 0 ? 1 : Double(readCount) / Double(counting.count)
  }

  /// Goes on with the next instructions, of whole objects, until they take about a number of bytes or the turn has done
  /// enough.
  ///
  /// - Parameter objects: the same each time, and in a transaction that stays open.
  /// - Returns: The instructions; nil if they are not complete.
  mutating func next(from objects: ObjectStore, byteCount: Int, _ meter: TurnMeter) throws
    -> (instructions: [Instruction], isAtEnd: Bool)?
  {
    while estimate < byteCount {
      guard let phase = phases.first else { return takeInstructions(isAtEnd: true) }
      guard let scan = try scan ?? start(phase, objects) else {
        phases.removeFirst()
        continue
      }
      switch try scan.next() {
      case .end:
        self.scan = nil
        phases.removeFirst()
        continue
      case .nothing: break
      case .found(let row, let key):
        if isSpared(key, phase) { break }
        readCount += 1
        var steps: [Instruction] = [.eraseObject(ObjectReference(table: phase.className, key: key))]
        if !phase.isErasing { steps += view.visible(try objects.fullState(of: row, in: scan.table)) }
        estimate += steps.reduce(0) { $0 + $1.estimatedByteCount }
        instructions += steps
      }
      meter.count()
      if meter.isExhausted, estimate < byteCount { return nil }
    }
    return takeInstructions(isAtEnd: false)
  }

  private func isSpared(_ key: PrimaryKey, _ phase: Phase) -> Bool {
    guard phase.isErasing, !spared.isEmpty else { return false }
    return spared.contains(ObjectReference(table: phase.className, key: key))
  }

  private mutating func takeInstructions(isAtEnd: Bool) -> (instructions: [Instruction], isAtEnd: Bool) {
    defer { (instructions, estimate) = ([], 0) }
    return (instructions, isAtEnd)
  }

  /// Ends the reading early.
  mutating func cancel() {
    scan?.cancel()
    scan = nil
    counting?.scan?.cancel()
    counting = nil
  }

  /// Nil if the class is not stored, as before the first client of development mode has declared it.
  private mutating func start(_ phase: Phase, _ objects: ObjectStore) throws -> ViewScan? {
    scan = try makeScan(phase, objects)
    return scan
  }

  private func makeScan(_ phase: Phase, _ objects: ObjectStore) throws -> ViewScan? {
    guard let table = try objects.table(named: phase.className) else { return nil }
    return try ViewScan(objects, table: table, matching: phase.wanted, excluding: phase.unwanted, now: now)
  }
}

extension Instruction {
  /// About how many bytes the instruction takes on the wire.
  fileprivate var estimatedByteCount: Int {
    let payload: Payload? =
      switch self {
      case .update(_, let payload, _), .arrayInsert(_, let payload, _), .setInsert(_, let payload): payload
      default: nil
      }
    guard case .value(let value) = payload else { return 16 }
    return switch value {
    case .string(let text): 24 + text.utf8.count
    case .binary(let bytes), .malformedString(let bytes): 24 + bytes.count
    default: 32
    }
  }
}
