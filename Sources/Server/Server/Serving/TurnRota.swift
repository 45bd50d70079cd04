// SPDX-License-Identifier: Apache-2.0

import FlexSyncEngine
import FlexSyncScheduling

/// Divides the turns of a loop among the apps of a process. Confined to the loop.
///
/// Each app with pending work gets a part of a turn, one after another, until the turn's time is used up. Apps that
/// are left over or not finished continue in the next turn; between turns, the loop reads, writes and answers.
package final class TurnRota {
  /// An app and the work it does in its part of a turn.
  final class Member {
    fileprivate let appID: String
    fileprivate let part: () -> Bool

    /// - Parameter part: Returns whether there is more to do.
    init(appID: String, part: @escaping () -> Bool) {
      self.appID = appID
      self.part = part
    }
  }

  private let scheduler: any Scheduler
  /// The time after which no further part begins in the same turn.
  private let milliseconds: UInt64
  private var waiting = FairQueue<Member>()
  private var isScheduled = false
  /// The member whose part is running.
  private var current: Member?

  package init(_ scheduler: any Scheduler, budget: TurnBudget = TurnBudget()) {
    self.scheduler = scheduler
    milliseconds = budget.milliseconds
  }

  /// Gives an app a part of this turn or of a later one. Ignored while the app's own part is running, because the
  /// part's result already says whether there is more to do.
  func request(_ member: Member) {
    guard member !== current else { return }
    waiting.add(member, of: member.appID, .new)
    guard !isScheduled, current == nil else { return }
    isScheduled = true
    scheduler.atEndOfTurn { [weak self] in self?.turn() }
  }

  private func turn() {
    let begin = scheduler.monotonicMilliseconds
    var unfinished: [Member] = []
    repeat {
      guard let member = waiting.next() else { break }
      current = member
      if member.part() { unfinished.append(member) }
    } while scheduler.monotonicMilliseconds - begin < milliseconds
    current = nil
    for member in unfinished { waiting.add(member, of: member.appID, .ongoing) }
    isScheduled = !waiting.isEmpty
    guard isScheduled else { return }
    // Not at the end of this turn: the loop must first read what has arrived since.
    _ = scheduler.startTimer(afterMilliseconds: 1) { [weak self] in self?.turn() }
  }
}
