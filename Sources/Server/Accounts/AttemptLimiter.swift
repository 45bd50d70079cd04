// SPDX-License-Identifier: Apache-2.0

/// Counts attempts within a time window. Kept in memory: a restart resets it.
///
/// An attempt counts from its start, so parallel attempts cannot exceed a limit.
struct AttemptLimiter {
  /// The things that are counted, each with its own limit.
  enum Subject: Hashable {
    case account(String)
    case address(String)
    case registration(address: String)
    case anonymousUser(address: String)
    case mail(account: String)
    case mailRequest(address: String)

    /// The network address that is counted, and the name by which operators know its limit; nil for accounts.
    var addressLimit: (address: String, name: String)? {
      switch self {
      case .account, .mail: nil
      case .address(let address): (address, "failures-per-address")
      case .registration(let address): (address, "registrations-per-address")
      case .anonymousUser(let address): (address, "anonymous-users-per-address")
      case .mailRequest(let address): (address, "mails-per-address")
      }
    }
  }

  private struct Count {
    var windowEnd: Int64
    var attempts: Int
    /// Whether an attempt was refused.
    var isExceeded = false
  }

  /// Called with a subject when its first attempt within a window is refused.
  var onExceeded: ((Subject) -> Void)?

  /// Once there are more subjects than this, those whose window has passed are removed.
  private static let purgeCount = 50_000

  private let windowSeconds: Int64
  private var counts: [Subject: Count] = [:]
  private var purgeThreshold = AttemptLimiter.purgeCount

  init(windowSeconds: Int64) {
    self.windowSeconds = max(1, windowSeconds)
  }

  /// Counts an attempt.
  ///
  /// - Parameter now: Seconds since 1970.
  /// - Throws: `AccountError.tooManyAttempts` if the limit has been reached; the attempt then does not count.
  mutating func begin(_ subject: Subject, limit: Int, now: Int64) throws(AccountError) {
    var count = try allowed(subject, limit, now)
    count.attempts += 1
    counts[subject] = count
    purge(now: now)
  }

  /// Checks a limit without counting an attempt.
  ///
  /// - Throws: `AccountError.tooManyAttempts` if the limit has been reached.
  mutating func expect(_ subject: Subject, limit: Int, now: Int64) throws(AccountError) {
    _ = try allowed(subject, limit, now)
  }

  private mutating func allowed(_ subject: Subject, _ limit: Int, _ now: Int64) throws(AccountError) -> Count
  {
    var count = counts[subject] ?? Count(windowEnd: now + windowSeconds, attempts: 0)
    if count.windowEnd <= now { count = Count(windowEnd: now + windowSeconds, attempts: 0) }
    guard count.attempts >= limit else { return count }
    if !count.isExceeded {
      count.isExceeded = true
      counts[subject] = count
      onExceeded?(subject)
    }
    throw .tooManyAttempts(seconds: count.windowEnd - now)
  }

  /// Undoes the count of an attempt that turned out not to need limiting.
  mutating func takeBack(_ subject: Subject) {
    guard var count = counts[subject] else { return }
    count.attempts -= 1
    counts[subject] = count.attempts > 0 ? count : nil
  }

  /// Resets the count of a subject.
  mutating func forget(_ subject: Subject) { counts[subject] = nil }

  /// Drops subjects whose window has passed, so an attacker who invents subjects cannot exhaust memory.
  private mutating func purge(now: Int64) {
    guard counts.count > purgeThreshold else { return }
    counts = counts.filter { $0.value.windowEnd > now }
    purgeThreshold = max(AttemptLimiter.purgeCount, counts.count * 2)
  }
}
