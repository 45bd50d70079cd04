// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore
import FlexSyncStore

/// Reads, in batches, the objects that a new view adds to those that a client has, and the objects that it removes
/// (protocol §4.4). Objects whose visible properties differ between the two are sent anew.
struct ViewDifference {
  /// The objects of one class that enter or leave.
  private struct Phase {
    let className: String
    let wanted: Predicate
    let unwanted: Predicate
    let isErasing: Bool
    /// Whether the view shows all properties of the class.
    let showsAllFields: Bool
  }

  /// The number of objects in the phases that have been counted so far.
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
  /// The count of all objects to read; nil until the progress is first requested.
  private var counting: Counting?
  /// The number of objects that have been read.
  private var readCount: Int64 = 0
  /// The milliseconds of a monotonic clock; nil if reading need not yield.
  private let now: (() -> UInt64)?
  /// Collects the objects that have been read but not returned yet.
  private let writer = ChangesetWriter()

  /// - Parameters:
  ///   - held: what the client has.
  ///   - spared: objects of these views that are not erased, because the client has never received them.
  ///   - now: the milliseconds of a monotonic clock; nil if reading need not yield.
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
        isErasing: true,
        showsAllFields: false
      )
    }
    let entering = view.classNames.map { name in
      Phase(
        className: name,
        wanted: view.predicate(of: name),
        unwanted: view.showsTheSame(of: name, as: held.sure) ? held.sure.predicate(of: name) : .never,
        isErasing: false,
        showsAllFields: view.fields(of: name) == .all
      )
    }
    allPhases = leaving + entering
    phases = allPhases[...]
  }

  /// Returns the fraction that has been read, 0…1. It relates to what the client receives, so that it does not reveal
  /// how much else there is. It is 1 if the client receives nothing.
  ///
  /// - Parameter objects: as for `next`.
  /// - Returns: The fraction; nil if counting needs a further turn.
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

  /// Continues with the next changeset, always of entire objects, until it has at least `byteCount` bytes or the
  /// turn's budget is exhausted.
  ///
  /// - Parameter objects: must be the same on each call, in a transaction that stays open.
  /// - Returns: The changeset, empty if there is nothing more; nil if it is not complete yet.
  mutating func next(from objects: ObjectStore, byteCount: Int, _ meter: TurnMeter) throws
    -> (changeset: [UInt8], isAtEnd: Bool)?
  {
    while writer.bytes.count < byteCount {
      guard let phase = phases.first else { return takeChangeset(isAtEnd: true) }
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
        try write(row, key, scan, phase, objects)
      }
      meter.count()
      if meter.isExhausted, writer.bytes.count < byteCount { return nil }
    }
    return takeChangeset(isAtEnd: false)
  }

  /// Writes that an object leaves, or everything that the view shows of it.
  private func write(
    _ row: Int64,
    _ key: PrimaryKey,
    _ scan: ViewScan,
    _ phase: Phase,
    _ objects: ObjectStore
  )
    throws
  {
    writer.begin(table: phase.className, key: key)
    writer.appendErasure()
    if phase.isErasing { return }
    if phase.showsAllFields { return try scan.writeState(of: row, key, to: writer) }
    for instruction in view.visible(try objects.fullState(of: row, key, scan.values, in: scan.table)) {
      writer.append(instruction)
    }
  }

  private func isSpared(_ key: PrimaryKey, _ phase: Phase) -> Bool {
    guard phase.isErasing, !spared.isEmpty else { return false }
    return spared.contains(ObjectReference(table: phase.className, key: key))
  }

  private func takeChangeset(isAtEnd: Bool) -> (changeset: [UInt8], isAtEnd: Bool) {
    defer { writer.removeAll() }
    return ([UInt8](writer.bytes), isAtEnd)
  }

  /// Stops reading early.
  mutating func cancel() {
    scan?.cancel()
    scan = nil
    counting?.scan?.cancel()
    counting = nil
  }

  /// Starts the scan of a phase. Returns nil if the class is not stored, as before the first client in development
  /// mode has declared it.
  private mutating func start(_ phase: Phase, _ objects: ObjectStore) throws -> ViewScan? {
    scan = try makeScan(phase, objects, hasValues: !phase.isErasing)
    return scan
  }

  private func makeScan(_ phase: Phase, _ objects: ObjectStore, hasValues: Bool = false) throws -> ViewScan? {
    guard let table = try objects.table(named: phase.className) else { return nil }
    return try ViewScan(
      objects,
      table: table,
      matching: phase.wanted,
      excluding: phase.unwanted,
      hasValues: hasValues,
      now: now
    )
  }
}
