// SPDX-License-Identifier: Apache-2.0

/// The sessions that wait in line for the bootstraps of the query sets that they have asked for.
///
/// The next place goes to the user with the fewest bootstraps under way (`BootstrapShares`), and within a user to the
/// session that has waited longest, unless it has many bootstraps under way itself.
struct BootstrapLine {
  struct Member {
    let session: EngineSession
    let queries: [SyncEngine.PendingQuery]
    fileprivate let number: UInt64

    /// Whether it may have one more bootstrap itself.
    fileprivate var isReady: Bool { session.snapshotCount < EngineSession.maximumSnapshotCount }
  }

  /// The members by user, in order.
  private var members: [String: [Member]] = [:]
  private var count: UInt64 = 0

  var isEmpty: Bool { members.isEmpty }

  /// The users whose sessions are in line.
  var userIDs: some Collection<String> { members.keys }

  /// A session that was in line before, and whose set could not be placed yet, gets its old place again.
  mutating func insert(_ session: EngineSession, _ queries: [SyncEngine.PendingQuery]) {
    count += 1
    let number = session.numberInLine ?? count
    session.numberInLine = number
    var waiting = members[session.userID] ?? []
    let index = waiting.firstIndex { $0.number > number } ?? waiting.endIndex
    waiting.insert(Member(session: session, queries: queries, number: number), at: index)
    members[session.userID] = waiting
  }

  /// Removes a session, and returns the query sets that it has asked for.
  mutating func remove(_ session: EngineSession) -> [SyncEngine.PendingQuery] {
    guard let index = members[session.userID]?.firstIndex(where: { $0.session === session }),
      let member = members[session.userID]?.remove(at: index)
    else { return [] }
    if members[session.userID]?.isEmpty == true { members[session.userID] = nil }
    return member.queries
  }

  /// Whether there is someone in line who may have one more bootstrap.
  func hasNext(_ shares: BootstrapShares) -> Bool {
    members.contains { shares.hasRoom(for: $0.key) && $0.value.contains(where: \.isReady) }
  }

  /// Removes and returns the next member; nil if nobody in line may have one more bootstrap.
  mutating func takeNext(_ shares: BootstrapShares) -> Member? {
    var next: (member: Member, total: Int)?
    for (userID, waiting) in members where shares.hasRoom(for: userID) {
      guard let member = waiting.first(where: \.isReady) else { continue }
      let total = shares.total(of: userID)
      if let best = next, (best.total, best.member.number) < (total, member.number) { continue }
      next = (member, total)
    }
    guard let member = next?.member else { return nil }
    _ = remove(member.session)
    return member
  }
}
