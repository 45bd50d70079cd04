// SPDX-License-Identifier: Apache-2.0

/// The sessions that wait in line for the bootstraps of the query sets that they have asked for.
///
/// Clients open sessions and ask for sets as often as they want, so it is the users who take turns: the next place goes
/// to the user with the fewest bootstraps under way, and within a user to the session that has waited longest.
struct BootstrapLine {
  struct Member {
    let session: EngineSession
    let queries: [SyncEngine.PendingQuery]
    fileprivate let number: UInt64
  }

  /// The members by user, in the order in which they came.
  private var members: [String: [Member]] = [:]
  private var count: UInt64 = 0

  var isEmpty: Bool { members.isEmpty }

  mutating func append(_ session: EngineSession, _ queries: [SyncEngine.PendingQuery]) {
    count += 1
    members[session.userID, default: []].append(Member(session: session, queries: queries, number: count))
  }

  /// Removes a session that has ended, and returns the query sets that it has asked for.
  mutating func remove(_ session: EngineSession) -> [SyncEngine.PendingQuery] {
    guard let index = members[session.userID]?.firstIndex(where: { $0.session === session }),
      let member = members[session.userID]?.remove(at: index)
    else { return [] }
    if members[session.userID]?.isEmpty == true { members[session.userID] = nil }
    return member.queries
  }

  /// Whether a user who may have one more bootstrap is in line.
  func hasNext(where mayBegin: (String) -> Bool) -> Bool { members.keys.contains(where: mayBegin) }

  /// Removes and returns the next member.
  ///
  /// - Parameter readerCount: the number of a user's bootstraps that are under way; nil for a user who may not have more.
  mutating func takeNext(_ readerCount: (String) -> Int?) -> Member? {
    var next: (userID: String, readerCount: Int, number: UInt64)?
    for (userID, waiting) in members {
      guard let count = readerCount(userID), let number = waiting.first?.number else { continue }
      if let best = next, (best.readerCount, best.number) < (count, number) { continue }
      next = (userID, count, number)
    }
    guard let next else { return nil }
    let member = members[next.userID]?.removeFirst()
    if members[next.userID]?.isEmpty == true { members[next.userID] = nil }
    return member
  }
}
