// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration

/// The current load caused by the users of an app, over all their connections. Confined to the loop.
package final class UserLoads {
  private struct Load {
    var sessionCount = 0
    /// The bytes that the user has uploaded and not yet paid for with time.
    var uploads = Debt()
    /// The subscription sets, likewise.
    var queries = Debt()
  }

  /// The cost of a changeset in addition to its bytes.
  private static let changesetCost = 256

  private let limits: ServerLimits
  private let uploadAllowance: Allowance
  private let queryAllowance: Allowance
  private var loads: [String: Load] = [:]

  package init(limits: ServerLimits) {
    self.limits = limits
    uploadAllowance = Allowance(
      perMillisecond: Double(limits.uploadBytesPerSecond) / 1000,
      burst: Double(limits.uploadBurstByteCount)
    )
    queryAllowance = Allowance(
      perMillisecond: Double(limits.queriesPerMinute) / 60_000,
      burst: Double(limits.queryBurst)
    )
  }

  /// Counts a new session of a user, and returns true, unless the user has too many.
  func beginSession(of userID: String) -> Bool {
    guard loads[userID]?.sessionCount ?? 0 < limits.sessionsPerUser else { return false }
    loads[userID, default: Load()].sessionCount += 1
    return true
  }

  func endSession(of userID: String) {
    guard var load = loads[userID] else { return }
    load.sessionCount -= 1
    // Users who reconnect keep their debt.
    loads[userID] = load.sessionCount > 0 || !load.uploads.isNone || !load.queries.isNone ? load : nil
  }

  /// Forgets users who are gone and no longer owe anything.
  package func sweep(now: UInt64) {
    for (userID, load) in loads where load.sessionCount == 0 && owesNothing(load, now) {
      loads[userID] = nil
    }
  }

  private func owesNothing(_ load: Load, _ now: UInt64) -> Bool {
    load.uploads.left(uploadAllowance, now) <= 0 && load.queries.left(queryAllowance, now) <= 0
  }

  /// Notes an upload.
  ///
  /// - Returns: The number of milliseconds to pause reading from the user's connection.
  func noteUpload(changesets: Int, bytes: Int, of userID: String, now: UInt64) -> UInt64 {
    guard changesets > 0 else { return 0 }
    let cost = Double(bytes + changesets * UserLoads.changesetCost)
    return loads[userID, default: Load()].uploads.add(cost, uploadAllowance, now)
  }

  /// Notes a subscription set.
  ///
  /// - Returns: The number of milliseconds to pause reading from the user's connection.
  func noteQuery(of userID: String, now: UInt64) -> UInt64 {
    loads[userID, default: Load()].queries.add(1, queryAllowance, now)
  }
}

/// The parameters of a leaky bucket: the amount that is free at once, and the rate that is free in the long run.
private struct Allowance {
  let perMillisecond: Double
  let burst: Double
}

/// The level of a leaky bucket: the part of a limited resource that a user has used. It drains over time.
private struct Debt {
  /// The longest delay. A client that hears nothing for two minutes reconnects (protocol §11).
  private static let longestDelayMilliseconds = 60_000.0

  private var amount = 0.0
  /// The time at which the amount was accurate, on the monotonic clock.
  private var time: UInt64 = 0

  /// Whether nothing was owed when the debt was last examined.
  var isNone: Bool { amount <= 0 }

  func left(_ allowance: Allowance, _ now: UInt64) -> Double {
    max(0, amount - Double(now - min(time, now)) * allowance.perMillisecond)
  }

  /// - Returns: The number of milliseconds to wait.
  mutating func add(_ cost: Double, _ allowance: Allowance, _ now: UInt64) -> UInt64 {
    let longest = allowance.burst + allowance.perMillisecond * Debt.longestDelayMilliseconds
    amount = min(left(allowance, now) + cost, longest)
    time = now
    guard amount > allowance.burst else { return 0 }
    return UInt64(((amount - allowance.burst) / allowance.perMillisecond).rounded(.up))
  }
}
