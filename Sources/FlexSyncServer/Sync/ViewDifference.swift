// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStorage

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

  private let view: View
  private var phases: ArraySlice<Phase>
  private let allPhases: [Phase]
  private var scan: ViewScan?
  /// How many objects have been read, and how many there are; nil as long as nobody has asked.
  private var readCount: Int64 = 0
  private var totalCount: Int64?
  /// What has been read and not given yet, and about how many bytes it takes.
  private var instructions: [Instruction] = []
  private var estimate = 0

  init(from oldView: View, to view: View) {
    self.view = view
    let leaving = oldView.classNames.map { name in
      Phase(
        className: name,
        wanted: oldView.predicate(of: name),
        unwanted: view.predicate(of: name),
        isErasing: true
      )
    }
    let entering = view.classNames.map { name in
      Phase(
        className: name,
        wanted: view.predicate(of: name),
        unwanted: view.showsTheSame(of: name, as: oldView) ? oldView.predicate(of: name) : .never,
        isErasing: false
      )
    }
    allPhases = leaving + entering
    phases = allPhases[...]
  }

  /// How much has been read, 0…1: of what the client gets, so that it does not tell how much else there is.
  ///
  /// - Parameter objects: as for `next`.
  mutating func progress(in objects: ObjectStore) throws -> Double {
    let total = try totalCount ?? count(in: objects)
    totalCount = total
    return min(Double(readCount) / Double(max(total, 1)), 0.999)
  }

  private func count(in objects: ObjectStore) throws -> Int64 {
    try allPhases.reduce(0) { sum, phase in
      guard let table = try objects.table(named: phase.className) else { return sum }
      return try sum
        + ViewScan.count(objects, table: table, matching: phase.wanted, excluding: phase.unwanted)
    }
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
      guard let (row, key) = try scan.next() else {
        self.scan = nil
        phases.removeFirst()
        continue
      }
      readCount += 1
      let object = ObjectReference(table: phase.className, key: key)
      var steps: [Instruction] = [.eraseObject(object)]
      if !phase.isErasing { steps += view.visible(try objects.fullState(of: row, in: scan.table)) }
      estimate += steps.reduce(0) { $0 + $1.estimatedByteCount }
      instructions += steps
      meter.count()
      if meter.isExhausted, estimate < byteCount { return nil }
    }
    return takeInstructions(isAtEnd: false)
  }

  private mutating func takeInstructions(isAtEnd: Bool) -> (instructions: [Instruction], isAtEnd: Bool) {
    defer { (instructions, estimate) = ([], 0) }
    return (instructions, isAtEnd)
  }

  /// Ends the reading early.
  mutating func cancel() {
    scan?.cancel()
    scan = nil
  }

  /// Nil if the class is not stored, as before the first client of development mode has declared it.
  private mutating func start(_ phase: Phase, _ objects: ObjectStore) throws -> ViewScan? {
    guard let table = try objects.table(named: phase.className) else { return nil }
    scan = try ViewScan(objects, table: table, matching: phase.wanted, excluding: phase.unwanted)
    return scan
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
