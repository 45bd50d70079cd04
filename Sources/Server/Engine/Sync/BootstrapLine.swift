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

  /// Whether a user with fewer than `quota` bootstraps under way is in line.
  func hasNext(_ readerCounts: [String: Int], quota: Int) -> Bool {
    members.keys.contains { readerCounts[$0, default: 0] < quota }
  }

  /// Removes and returns the next member; nil if all have `quota` bootstraps under way.
  mutating func takeNext(_ readerCounts: [String: Int], quota: Int) -> Member? {
    var next: (userID: String, readerCount: Int, number: UInt64)?
    for (userID, waiting) in members {
      guard case let count = readerCounts[userID, default: 0], count < quota,
        let number = waiting.first?.number
      else { continue }
      if let best = next, (best.readerCount, best.number) < (count, number) { continue }
      next = (userID, count, number)
    }
    guard let next else { return nil }
    let member = members[next.userID]?.removeFirst()
    if members[next.userID]?.isEmpty == true { members[next.userID] = nil }
    return member
  }
}
