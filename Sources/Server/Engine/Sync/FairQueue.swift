// SPDX-License-Identifier: Apache-2.0

/// Those who wait for their turn, each once.
///
/// Of those who have just come, some go before each one that has had a turn and has more to do: what is short is done
/// soon, however much that is long is under way, and the latter goes on in turn.
package struct FairQueue<Member: AnyObject> {
  private var fresh = Line<Member>()
  private var ongoing = Line<Member>()
  private var members: Set<ObjectIdentifier> = []
  /// How many fresh ones go before the next ongoing one.
  private var freshCount = FairQueue.freshPerOngoing

  private static var freshPerOngoing: Int { 4 }

  package init() {}

  package var isEmpty: Bool { members.isEmpty }

  /// Lets somebody wait, who may do so already.
  ///
  /// - Parameter isOngoing: whether it has had a turn, and has more to do.
  package mutating func add(_ member: Member, isOngoing: Bool = false) {
    guard members.insert(ObjectIdentifier(member)).inserted else { return }
    if isOngoing { ongoing.append(member) } else { fresh.append(member) }
  }

  /// Takes out the one whose turn it is.
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

/// First in, first out.
private struct Line<Member> {
  private var leaving: [Member] = []
  private var arrived: [Member] = []

  mutating func append(_ member: Member) { arrived.append(member) }

  mutating func next() -> Member? {
    if leaving.isEmpty {
      leaving = arrived.reversed()
      arrived = []
    }
    return leaving.popLast()
  }
}
