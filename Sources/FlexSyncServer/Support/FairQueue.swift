// SPDX-License-Identifier: Apache-2.0

/// Those who wait for their turn, each once.
///
/// Those who have just come alternate with those who have had a turn and have more to do: what is short is done soon,
/// however much that is long is under way, and the latter goes on in turn.
struct FairQueue<Member: AnyObject> {
  private var fresh = Line<Member>()
  private var ongoing = Line<Member>()
  private var members: Set<ObjectIdentifier> = []
  private var isOngoingNext = false

  var isEmpty: Bool { members.isEmpty }

  /// Lets somebody wait, who may do so already.
  ///
  /// - Parameter isOngoing: whether it has had a turn, and has more to do.
  mutating func add(_ member: Member, isOngoing: Bool = false) {
    guard members.insert(ObjectIdentifier(member)).inserted else { return }
    if isOngoing { ongoing.append(member) } else { fresh.append(member) }
  }

  /// Takes out the one whose turn it is.
  mutating func next() -> Member? {
    let member = isOngoingNext ? ongoing.next() ?? fresh.next() : fresh.next() ?? ongoing.next()
    isOngoingNext.toggle()
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
