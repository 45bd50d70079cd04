// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncQuery
import FlexSyncStorage

/// Reads the content of a bootstrap in batches from a snapshot, with memory that does not depend on its size
/// (protocol §4.4).
final class BootstrapReader {
  /// One batch.
  struct Batch {
    var changesets: [[UInt8]]
    var isLast: Bool
    /// 0…1.
    var progress: Double
  }

  /// Objects of one class that come or go.
  private struct Phase {
    let className: String
    let wanted: Predicate
    let unwanted: Predicate
    let isErasing: Bool
  }

  private let limits: DeliveryLimits
  private let database: Database
  private let objects: ObjectStore
  private var phases: ArraySlice<Phase>
  private let phaseCount: Int
  private var scan: ViewScan?
  private var greatestRow: Int64 = 0
  private var currentRow: Int64 = 0
  private var declarations: [Instruction]

  /// Pins the newest snapshot of the store.
  init(_ placed: PlacedBootstrap, store: ServerStore, limits: DeliveryLimits) throws {
    self.limits = limits
    let (oldView, view) = (placed.oldView, placed.view)
    database = try store.openReader()
    try database.beginRead()
    objects = try ObjectStore(database)
    declarations = placed.declarations
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
        unwanted: oldView.predicate(of: name),
        isErasing: false
      )
    }
    phases = (leaving + entering)[...]
    phaseCount = leaving.count + entering.count
  }

  /// The next batch. There is always at least one, and it has at least one changeset in all.
  func nextBatch() throws -> Batch {
    var changesets: [[UInt8]] = []
    var byteCount = 0
    if !declarations.isEmpty {
      changesets.append(ChangesetCodec.encode(declarations))
      declarations = []
    }
    while byteCount < limits.messageByteCount {
      let (instructions, isAtEnd) = try nextInstructions()
      if !instructions.isEmpty || changesets.isEmpty {
        for changeset in ChangesetCodec.encodeInParts(instructions) {
          byteCount += changeset.count
          changesets.append(changeset)
        }
      }
      if isAtEnd {
        try close()
        return Batch(changesets: changesets, isLast: true, progress: 1)
      }
    }
    return Batch(changesets: changesets, isLast: false, progress: progress)
  }

  /// Releases the snapshot.
  func close() throws {
    scan?.cancel()
    scan = nil
    if database.transactionState == .read { try database.endRead() }
  }

  private var progress: Double {
    let done = Double(phaseCount - phases.count)
    let part = greatestRow > 0 ? Double(currentRow) / Double(greatestRow) : 0
    return phaseCount == 0 ? 1 : min((done + part) / Double(phaseCount), 0.999)
  }

  private func nextInstructions() throws -> (instructions: [Instruction], isAtEnd: Bool) {
    var instructions: [Instruction] = []
    var estimate = 0
    while estimate < limits.changesetByteCount {
      guard let phase = phases.first else { return (instructions, true) }
      guard let scan = try scan ?? start(phase) else {
        phases.removeFirst()
        continue
      }
      guard let (row, key) = try scan.next() else {
        self.scan = nil
        phases.removeFirst()
        continue
      }
      currentRow = row
      let object = ObjectReference(table: phase.className, key: key)
      var steps: [Instruction] = [.eraseObject(object)]
      if !phase.isErasing { steps += try objects.fullState(of: row, in: scan.table) }
      estimate += steps.reduce(0) { $0 + $1.estimatedByteCount }
      instructions += steps
    }
    return (instructions, false)
  }

  /// Nil if the class is not stored, as before the first client of development mode has declared it.
  private func start(_ phase: Phase) throws -> ViewScan? {
    guard let table = try objects.table(named: phase.className) else { return nil }
    greatestRow = try database.withStatement("SELECT max(flx_row) FROM \(table.sqlName)") { statement in
      try statement.step() ? statement.int(0) : 0
    }
    currentRow = 0
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
