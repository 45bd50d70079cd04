// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
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

  private let limits: DeliveryLimits
  private let database: Database
  private let objects: ObjectStore
  private var difference: ViewDifference
  private var declarations: [Instruction]

  /// Pins the newest snapshot of the store.
  init(_ placed: PlacedBootstrap, store: ServerStore, limits: DeliveryLimits) throws {
    self.limits = limits
    database = try store.openReader()
    try database.beginRead()
    objects = try ObjectStore(database)
    declarations = placed.declarations
    difference = ViewDifference(from: placed.oldView, to: placed.view)
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
      let (instructions, isAtEnd) = try difference.next(from: objects, byteCount: limits.changesetByteCount)
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
    return Batch(changesets: changesets, isLast: false, progress: difference.progress)
  }

  /// Releases the snapshot.
  func close() throws {
    difference.cancel()
    if database.transactionState == .read { try database.endRead() }
  }
}
