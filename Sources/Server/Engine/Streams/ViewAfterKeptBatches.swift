// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncServerStore

/// The bootstrap of a query set of which the client has kept batches, which it applies together with this bootstrap. So
/// this one leads from everything that the client may have then to the new view.
///
/// For objects that were in all views sent to the client, it receives only the changes, and keeps what it has written
/// to them.
final class ViewAfterKeptBatches: ViewCourse {
  private let followed: FollowedView
  private let held: HeldView
  private let begunViews: BegunViews
  private let begun: BegunObjects
  private let next: View

  /// - Throws: `SessionFailure` if the client has to start over.
  init(
    _ kept: KeptBatches,
    _ request: ViewChangeRequest,
    in file: LiveFile,
    from source: StreamSource,
    writer: StreamWriter
  ) throws {
    guard try kept.neededVersion >= HistoryFloor(store: source.store).version else {
      throw SessionFailure.historyIsGone
    }
    begunViews = try BegunViews(text: kept.begun)
    do throws(QuerySetRefusal) {
      held = try writer.schema.held(file.view, and: begunViews)
    } catch {
      // It is no longer known what the batches showed.
      throw SessionFailure.historyIsGone
    }
    followed = try FollowedView(request, in: file, from: source, writer: writer)
    next = followed.next
    begun = BegunObjects(kept, begunViews, held, current: file.view, next: next, from: source)
  }

  var size: Int { followed.size + begun.size }

  var change: HeldViewChange? {
    guard var change = followed.change else { return nil }
    var views = begunViews
    for part in change.begun.parts { for version in part.versions { views.note(part.views, at: version) } }
    change = HeldViewChange(
      held: held,
      next: next,
      begun: views,
      unheardObjects: change.unheardObjects.union(begun.unheard),
      replacedObjects: begun.missed
    )
    return change
  }

  func goOn(_ meter: TurnMeter) throws -> Bool {
    guard try followed.goOn(meter) else { return false }
    return try begun.goOn(meter)
  }

  func finish(_ live: LiveFile) { followed.finish(live) }
}
