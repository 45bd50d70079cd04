// SPDX-License-Identifier: Apache-2.0

import FlexSyncEngine
import FlexSyncScheduling

/// Shares the turns of a loop among the apps of a process. Confined to the loop.
///
/// Each app that has something to do gets a part of a turn, one after the other, until the turn has lasted for a while.
/// Those that are left over, or are not done, go on in the next turn; in between the loop reads, writes and answers.
package final class TurnRota {
  /// An app, and what it does in its part of a turn.
  final class Member {
    fileprivate let part: () -> Bool

    /// - Parameter part: returns whether there is more to do.
    init(part: @escaping () -> Bool) { self.part = part }
  }

  private let scheduler: any Scheduler
  /// After that time no further part of the same turn begins.
  private let milliseconds: UInt64
  private var waiting = FairQueue<Member>()
  private var isScheduled = false
  /// The one that has its part.
  private var current: Member?

  package init(_ scheduler: any Scheduler, budget: TurnBudget = TurnBudget()) {
    self.scheduler = scheduler
    milliseconds = budget.milliseconds
  }

  /// Gives an app a part of this turn, or of a later one. What it asks for during its part is told by that.
  func request(_ member: Member) {
    guard member !== current else { return }
    waiting.add(member)
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
    for member in unfinished { waiting.add(member, isOngoing: true) }
    isScheduled = !waiting.isEmpty
    guard isScheduled else { return }
    // Not at the end of this turn: the loop has to read what has come meanwhile.
    _ = scheduler.startTimer(afterMilliseconds: 1) { [weak self] in self?.turn() }
  }
}
