// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncStore

/// Reads the content of a bootstrap in batches from a snapshot. Memory use does not depend on the size of the
/// bootstrap (protocol §4.4).
final class BootstrapReader {
  /// The content of one DOWNLOAD message.
  struct Batch {
    var changesets: [[UInt8]]
    var isLast: Bool
    /// The part of the bootstrap that has been read after this batch, 0…1.
    var progress: Double
  }

  /// The progress that Atlas reports with the last object if that object fills its message and an empty message
  /// follows. Realm's clients look for exactly this value in the estimates.
  private static let progressBeforeEnd = 0.9999

  private let limits: DeliveryLimits
  private let database: Database
  private let objects: ObjectStore
  private var difference: ViewDifference
  /// The objects that the difference does not cover and that are still to be read.
  private var replaced: [ObjectReference]
  private let currentState: (ObjectReference) throws -> [Instruction]
  private var declarations: [Instruction]
  /// The classes of the views that the bootstrap leads from and to.
  private let classNames: [String]
  /// The user's permissions for these classes when the server placed the bootstrap.
  private let permissions: ViewPermissions
  /// The number of parts in which it has been read so far.
  private var partCount = 0
  /// The number of parts within which many bootstraps are read.
  private static let shortPartCount = 8
  private var hasMadeBatch = false
  /// Whether what has been read does not tell yet that the bootstrap is long.
  var mayBeShort: Bool { !hasMadeBatch && partCount < BootstrapReader.shortPartCount }
  /// What has been read and is in no batch yet.
  private var waiting: [[UInt8]] = []
  /// Whether everything has been read.
  private var isAtEnd = false
  /// The batch under construction.
  private var changesets: [[UInt8]] = []
  private var byteCount = 0

  /// Pins the newest snapshot of the store, unless the bootstrap has its own.
  ///
  /// - Parameters:
  ///   - permissions: the user's permissions when the bootstrap was placed.
  ///   - now: the milliseconds of a monotonic clock.
  init(
    _ placed: PlacedBootstrap,
    _ permissions: Permissions,
    store: ServerStore,
    schema: AppSchema,
    limits: DeliveryLimits,
    now: @escaping () -> UInt64
  ) throws {
    self.limits = limits
    let snapshot = try placed.snapshot?.store ?? store.snapshot()
    database = snapshot.database
    objects = snapshot.objects
    declarations = placed.declarations
    let change = placed.change
    classNames = change.views.flatMap(\.queriedClassNames)
    self.permissions = ViewPermissions(permissions, of: classNames)
    difference = ViewDifference(from: change.held, to: change.next, sparing: change.unheardObjects, now: now)
    replaced = Array(change.replacedObjects)
    currentState = { try change.next.currentState(of: $0, in: snapshot, schema) }
  }

  /// Continues with the next batch until it is complete or the turn's budget is exhausted. A bootstrap has at least
  /// one batch, and at least one changeset in total.
  ///
  /// - Returns: The batch, or nil if it is not complete yet.
  func nextBatch(_ meter: TurnMeter) throws -> Batch? {
    partCount += 1
    if !declarations.isEmpty {
      waiting.append(ChangesetCodec.encode(declarations))
      declarations = []
    }
    while takeWaiting() {
      if isAtEnd {
        if changesets.isEmpty { changesets = [[]] }
        try close()
        return takeBatch(isLast: true, progress: 1)
      }
      if let object = replaced.popLast() {
        waiting = try ChangesetCodec.parts(of: ChangesetCodec.encode(currentState(object)))
        meter.count()
        if meter.isExhausted { return nil }
        continue
      }
      let part = try difference.next(from: objects, byteCount: limits.changesetByteCount, meter)
      guard let (whole, isAtEnd) = part else { return nil }
      self.isAtEnd = isAtEnd
      guard !whole.isEmpty else { continue }
      meter.count(steps: 0, bytes: whole.count)
      waiting = try ChangesetCodec.parts(of: whole)
    }
    guard let progress = try difference.progress(in: objects, meter) else { return nil }
    return takeBatch(isLast: false, progress: min(progress, Self.progressBeforeEnd))
  }

  /// Moves waiting changesets to the batch. Only one that is alone in its batch may exceed the limit of a message: an
  /// object can have more parts than a client accepts in one message.
  ///
  /// - Returns: Whether all have moved and the batch has room for more.
  private func takeWaiting() -> Bool {
    while let next = waiting.first {
      guard changesets.isEmpty || byteCount + next.count <= limits.messageByteCount else { return false }
      waiting.removeFirst()
      changesets.append(next)
      byteCount += next.count
    }
    return byteCount < limits.messageByteCount
  }

  private func takeBatch(isLast: Bool, progress: Double) -> Batch {
    defer { (changesets, byteCount) = ([], 0) }
    hasMadeBatch = true
    return Batch(changesets: changesets, isLast: isLast, progress: progress)
  }

  /// Whether other permissions show something else of the views that the bootstrap leads from and to.
  func isChanged(by permissions: Permissions) -> Bool {
    ViewPermissions(permissions, of: classNames) != self.permissions
  }

  /// Releases the memory of the cache, which fills again when the next batch is read.
  func releaseCache() { database.releaseMemory() }

  /// Releases the snapshot.
  func close() throws {
    difference.cancel()
    if database.transactionState == .read { try database.endRead() }
  }
}
