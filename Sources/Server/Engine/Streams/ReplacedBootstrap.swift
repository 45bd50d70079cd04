// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules

/// A bootstrap that replaces one that the client does not have in full. It leads from everything that the client may
/// have to what the user may see now, which the stream then follows. No such bootstrap is needed if the client drops
/// what it has and its user may see the same as before.
///
/// For objects that were in all views sent to the client, it receives only the changes, and keeps what it has written
/// to them. All other objects of the new view are sent in full.
final class ReplacedBootstrap: ViewCourse {
  private let bootstrap: UnfinishedBootstrap
  private let file: LiveFile
  private let held: HeldView
  private let next: View
  private let source: StreamSource
  private let writer: StreamWriter
  /// Nil if the client has nothing of the bootstrap and its user may see the same as before.
  private let begun: BegunObjects?
  private var rollback: StreamRollback?

  /// - Throws: `SessionFailure` if the client has to start over.
  init(
    _ bootstrap: UnfinishedBootstrap,
    in file: LiveFile,
    _ permissions: Permissions,
    from source: StreamSource,
    writer: StreamWriter
  ) throws {
    (self.bootstrap, self.file, self.source, self.writer) = (bootstrap, file, source, writer)
    let record = bootstrap.record
    guard try record.neededVersion >= HistoryFloor(store: source.store).version else {
      throw SessionFailure.historyIsGone
    }
    held = try writer.schema.held(after: bootstrap)
    let names = try writer.schema.view(body: record.oldQuery).queriedClassNames
    let allowed = ViewPermissions(permissions, of: names)
    next = try writer.schema.view(body: record.oldQuery, permissions: allowed.text)
    let isSame = !bootstrap.isKept && UTF8Order.areEqual(allowed.text, record.oldPermissions)
    begun = isSame ? nil : BegunObjects(after: bootstrap, held, next: next, from: source)
  }

  var size: Int { (begun?.size ?? 0) + (rollback?.size ?? 0) }

  var change: HeldViewChange? {
    begun.map { begun in
      HeldViewChange(held: held, next: next, begun: bootstrap.begun, unheardObjects: begun.unheard)
    }
  }

  func goOn(_ meter: TurnMeter) throws -> Bool {
    guard try begun?.goOn(meter) ?? true else { return false }
    let rollback = try rollback ?? takeBack()
    self.rollback = rollback
    return try rollback.goOn(meter)
  }

  private func takeBack() throws -> StreamRollback {
    var views = StreamRollback.Views(held: begun == nil ? next : held.sure, next: next)
    if let begun { (views.begun, views.replaced) = (begun.begun, begun.missed) }
    return try StreamRollback(
      bootstrap.record,
      at: bootstrap.version,
      in: file,
      views,
      from: source,
      writer: writer
    )
  }

  func finish(_ live: LiveFile) throws { try rollback?.finish(live) }
}
