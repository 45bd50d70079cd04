// SPDX-License-Identifier: Apache-2.0

/// A queue of members that wait for their turn, each at most once.
///
/// Several new members go before each member that has had a turn and has more to do. So short work is done soon,
/// however much long work is under way, and the long work still gets its turns.
package struct FairQueue<Member: AnyObject> {
  private var fresh = Line<Member>()
  private var ongoing = Line<Member>()
  private var members: Set<ObjectIdentifier> = []
  /// The number of new members that go before the next ongoing one.
  private var freshCount = FairQueue.freshPerOngoing

  private static var freshPerOngoing: Int { 4 }

  package init() {}

  package var isEmpty: Bool { members.isEmpty }

  /// Adds a member, unless it already waits.
  ///
  /// - Parameter isOngoing: whether it has had a turn and has more to do.
  package mutating func add(_ member: Member, isOngoing: Bool = false) {
    guard members.insert(ObjectIdentifier(member)).inserted else { return }
    if isOngoing { ongoing.append(member) } else { fresh.append(member) }
  }

  /// Removes and returns the member whose turn it is.
  package mutating func next() -> Member? {
    var member = freshCount > 0 ? fresh.next() : nil
    if member == nil {
      member = ongoing.next() ?? fresh.next()
      freshCount = FairQueue.freshPerOngoing
    } else {
      freshCount -= 1
    }
    if let member { members.remove(ObjectIdentifier(member)) }
    return member
  }

  mutating func removeAll() { self = FairQueue() }
}
