// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration

/// How much the users of an app are doing at the moment, on all their connections. Confined to the loop.
package final class UserLoads {
  private struct Load {
    var sessionCount = 0
    /// What the user has uploaded and not paid for with time yet, in bytes.
    var uploads = Debt()
    /// The sets of subscriptions, likewise.
    var queries = Debt()
  }

  /// What a changeset costs besides its bytes.
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

  /// Counts a session of a user; false if the user has too many.
  func beginSession(of userID: String) -> Bool {
    guard loads[userID]?.sessionCount ?? 0 < limits.sessionsPerUser else { return false }
    loads[userID, default: Load()].sessionCount += 1
    return true
  }

  func endSession(of userID: String) {
    guard var load = loads[userID] else { return }
    load.sessionCount -= 1
    // The debt of a user who comes and goes is not forgotten.
    loads[userID] = load.sessionCount > 0 || !load.uploads.isNone || !load.queries.isNone ? load : nil
  }

  /// Forgets users who are gone and owe nothing any more.
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
  /// - Returns: for how many milliseconds the user's connection is not to be read.
  func noteUpload(changesets: Int, bytes: Int, of userID: String, now: UInt64) -> UInt64 {
    guard changesets > 0 else { return 0 }
    let cost = Double(bytes + changesets * UserLoads.changesetCost)
    return loads[userID, default: Load()].uploads.add(cost, uploadAllowance, now)
  }

  /// Notes a set of subscriptions.
  ///
  /// - Returns: for how many milliseconds the user's connection is not to be read.
  func noteQuery(of userID: String, now: UInt64) -> UInt64 {
    loads[userID, default: Load()].queries.add(1, queryAllowance, now)
  }
}

/// How much of something is free at once, and how much in the long run.
private struct Allowance {
  let perMillisecond: Double
  let burst: Double
}

/// The share of a limited resource that a user has used, and that time gives back.
private struct Debt {
  /// Nobody waits for longer, since a client that hears nothing for two minutes connects again (protocol §11).
  private static let longestDelayMilliseconds = 60_000.0

  private var amount = 0.0
  /// When the amount was right, on the monotonic clock.
  private var time: UInt64 = 0

  /// Whether nothing was owed when it was looked at last.
  var isNone: Bool { amount <= 0 }

  func left(_ allowance: Allowance, _ now: UInt64) -> Double {
    max(0, amount - Double(now - min(time, now)) * allowance.perMillisecond)
  }

  /// - Returns: how many milliseconds to wait.
  mutating func add(_ cost: Double, _ allowance: Allowance, _ now: UInt64) -> UInt64 {
    let longest = allowance.burst + allowance.perMillisecond * Debt.longestDelayMilliseconds
    amount = min(left(allowance, now) + cost, longest)
    time = now
    guard amount > allowance.burst else { return 0 }
    return UInt64(((amount - allowance.burst) / allowance.perMillisecond).rounded(.up))
  }
}
