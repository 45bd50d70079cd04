// SPDX-License-Identifier: Apache-2.0

/// A queue of members that wait for their turn, each at most once.
///
/// Members at a later stage let a few at each earlier stage go first, at most as many as there are owners with members at
/// that stage. So short work is done soon, however much long work is under way, and the long work still gets its turns.
/// Among members at the same stage, owners take turns (`SharedLine`).
package struct FairQueue<Member: AnyObject> {
  /// How much of a member's work is done, from which the queue guesses how long the rest is.
  package enum Stage: Int, CaseIterable {
    /// None is done, and most work is short.
    case new
    /// Little is done of work that may be long.
    case beginning
    /// Enough is done to tell that the work is long.
    case ongoing
  }

  /// A line for each stage.
  private var lines = Stage.allCases.map { _ in SharedLine<Member>() }
  /// The number of members at each stage that still go before the next one at a later stage.
  private var precedences = Stage.allCases.map { _ in FairQueue.greatestPrecedence }
  private var members: Set<ObjectIdentifier> = []

  private static var greatestPrecedence: Int { 4 }

  package init() {}

  package var isEmpty: Bool { members.isEmpty }

  /// Adds a member, unless it already waits.
  ///
  /// - Parameter owner: whose member it is.
  package mutating func add(_ member: Member, of owner: String, _ stage: Stage) {
    guard members.insert(ObjectIdentifier(member)).inserted else { return }
    lines[stage.rawValue].append(member, of: owner)
  }

  /// Removes and returns the member whose turn it is.
  package mutating func next() -> Member? {
    let waiting = lines.indices.filter { !lines[$0].isEmpty }
    guard let stage = waiting.first(where: { precedences[$0] > 0 }) ?? waiting.last,
      let member = lines[stage].next()
    else { return nil }
    precedences[stage] -= 1
    if stage == waiting.last { precedences[stage] = precedence(of: stage) }
    for earlier in 0..<stage { precedences[earlier] = precedence(of: earlier) }
    members.remove(ObjectIdentifier(member))
    return member
  }

  /// One owner alone must not go before a later stage more often than that stage has its turn.
  private func precedence(of stage: Int) -> Int {
    max(1, min(FairQueue.greatestPrecedence, lines[stage].ownerCount))
  }

  mutating func removeAll() { self = FairQueue() }
}
