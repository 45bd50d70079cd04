// SPDX-License-Identifier: Apache-2.0

/// Counts what is tried, in windows of time. Kept in memory: a restart forgets it.
///
/// An attempt counts from its beginning, so that many at once are no way around a limit.
struct AttemptLimiter {
  /// What is counted; each has a limit of its own.
  enum Subject: Hashable {
    case account(String)
    case address(String)
    case registration(address: String)
    case anonymousUser(address: String)
    case mail(account: String)
    case mailRequest(address: String)
  }

  private struct Count {
    var windowEnd: Int64
    var attempts: Int
  }

  /// More subjects than this are only counted after those whose time is over are forgotten.
  private static let purgeCount = 50_000

  private let windowSeconds: Int64
  private var counts: [Subject: Count] = [:]
  private var purgeThreshold = AttemptLimiter.purgeCount

  init(windowSeconds: Int64) {
    self.windowSeconds = max(1, windowSeconds)
  }

  /// Counts one attempt.
  ///
  /// - Parameter now: Seconds since 1970.
  /// - Throws: `AccountError.tooManyAttempts` if the limit is reached; the attempt does not count then.
  mutating func begin(_ subject: Subject, limit: Int, now: Int64) throws(AccountError) {
    var count = try allowed(subject, limit, now)
    count.attempts += 1
    counts[subject] = count
    purge(now: now)
  }

  /// Counts nothing.
  ///
  /// - Throws: `AccountError.tooManyAttempts` if the limit is reached.
  func expect(_ subject: Subject, limit: Int, now: Int64) throws(AccountError) {
    _ = try allowed(subject, limit, now)
  }

  private func allowed(_ subject: Subject, _ limit: Int, _ now: Int64) throws(AccountError) -> Count {
    var count = counts[subject] ?? Count(windowEnd: now + windowSeconds, attempts: 0)
    if count.windowEnd <= now { count = Count(windowEnd: now + windowSeconds, attempts: 0) }
    guard count.attempts < limit else { throw .tooManyAttempts(seconds: count.windowEnd - now) }
    return count
  }

  /// Takes one attempt back, for it was none that has to be limited.
  mutating func takeBack(_ subject: Subject) {
    guard var count = counts[subject] else { return }
    count.attempts -= 1
    counts[subject] = count.attempts > 0 ? count : nil
  }

  /// Begins anew with a subject.
  mutating func forget(_ subject: Subject) { counts[subject] = nil }

  /// Memory must not grow with the imagination of an attacker.
  private mutating func purge(now: Int64) {
    guard counts.count > purgeThreshold else { return }
    counts = counts.filter { $0.value.windowEnd > now }
    purgeThreshold = max(AttemptLimiter.purgeCount, counts.count * 2)
  }
}
