// SPDX-License-Identifier: Apache-2.0

/// How much the users of an app are doing at the moment, on all their connections. Confined to the loop.
final class UserLoads {
  private struct Load {
    var sessionCount = 0
    /// What the user has uploaded and not paid for with time yet, in bytes.
    var debt = 0.0
    /// When the debt was right, on the monotonic clock.
    var time: UInt64 = 0
  }

  /// Nobody waits for longer, since a client that hears nothing for two minutes connects again (protocol §11).
  private static let longestDelayMilliseconds = 60_000.0
  /// What a changeset costs besides its bytes.
  private static let changesetCost = 256

  private let limits: ServerLimits
  private var loads: [String: Load] = [:]

  init(limits: ServerLimits) { self.limits = limits }

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
    loads[userID] = load.sessionCount > 0 || load.debt > 0 ? load : nil
  }

  /// Forgets users who are gone and owe nothing any more.
  func sweep(now: UInt64) {
    for (userID, load) in loads where load.sessionCount == 0 && debt(of: load, now) <= 0 {
      loads[userID] = nil
    }
  }

  /// Notes an upload.
  ///
  /// - Returns: for how many milliseconds the user's connection is not to be read.
  func noteUpload(changesets: Int, bytes: Int, of userID: String, now: UInt64) -> UInt64 {
    guard changesets > 0 else { return 0 }
    var load = loads[userID] ?? Load()
    let rate = Double(limits.uploadBytesPerSecond) / 1000
    let burst = Double(limits.uploadBurstByteCount)
    let cost = Double(bytes + changesets * UserLoads.changesetCost)
    load.debt = min(debt(of: load, now) + cost, burst + rate * UserLoads.longestDelayMilliseconds)
    load.time = now
    loads[userID] = load
    return load.debt > burst ? UInt64(((load.debt - burst) / rate).rounded(.up)) : 0
  }

  private func debt(of load: Load, _ now: UInt64) -> Double {
    let paid = Double(now - min(load.time, now)) * Double(limits.uploadBytesPerSecond) / 1000
    return max(0, load.debt - paid)
  }
}
