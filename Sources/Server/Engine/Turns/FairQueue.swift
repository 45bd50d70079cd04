// SPDX-License-Identifier: Apache-2.0

/// A queue of members that wait for their turn, each at most once.
///
/// Several members with new work go before each one that begins long work, and several of those before each one that has
/// had a turn and has more to do. So short work is done soon, however much long work is under way, and the long work still
/// gets its turns. Among members at the same stage, owners take turns (`SharedLine`).
package struct FairQueue<Member: AnyObject> {
  /// What is known of the work that a member waits with.
  package enum Stage: Int, CaseIterable {
    /// Nothing: most work is short.
    case new
    /// That it may be long, but none of it has been done.
    case beginning
    /// That it is long: some of it has been done.
    case ongoing
  }

  /// A line for each stage.
  private var lines = Stage.allCases.map { _ in SharedLine<Member>() }
  /// The number of members at each stage that still go before the next one at a later stage.
  private var precedences = Stage.allCases.map { _ in FairQueue.precedence }
  private var members: Set<ObjectIdentifier> = []

  private static var precedence: Int { 4 }

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
    if stage == waiting.last { precedences[stage] = FairQueue.precedence }
    for earlier in 0..<stage { precedences[earlier] = FairQueue.precedence }
    members.remove(ObjectIdentifier(member))
    return member
  }

  mutating func removeAll() { self = FairQueue() }
}
