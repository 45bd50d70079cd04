// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// The waits for some event in a session, each with an optional time limit. Confined to the loop.
final class SessionWaits<Goal> {
  typealias Completion = (Result<Void, CoreError>) -> Void

  private struct Wait {
    var goal: Goal
    let completion: Completion
    let timer: (any ScheduledTimer)?
  }

  private let loop: any Scheduler
  private var waits: [(number: Int, wait: Wait)] = []
  private var nextNumber = 0
  /// Called before the completion of each wait that ends.
  var ended: ((Goal, Result<Void, CoreError>) -> Void)?

  init(loop: any Scheduler) { self.loop = loop }

  var isEmpty: Bool { waits.isEmpty }

  /// Adds a wait.
  /// - Parameters:
  ///   - timeout: in milliseconds; 0 waits forever.
  ///   - subject: the subject of the wait, as in "Waiting for *update* timed out".
  ///   - completion: called once.
  func add(_ goal: Goal, timeout: UInt64, subject: String, completion: @escaping Completion) {
    nextNumber += 1
    let number = nextNumber
    let timer =
      timeout == 0
      ? nil
      : loop.startTimer(afterMilliseconds: timeout) { [weak self] in
        self?.finish(number, .failure(.timedOut(subject, milliseconds: timeout)))
      }
    waits.append((number, Wait(goal: goal, completion: completion, timer: timer)))
  }

  /// Ends the waits for which `outcome` returns a result.
  func settle(_ outcome: (Goal) throws -> Result<Void, CoreError>?) rethrows {
    let results = try waits.compactMap { number, wait in try outcome(wait.goal).map { (number, $0) } }
    for (number, result) in results { finish(number, result) }
  }

  func forEach(_ body: (Goal) -> Void) {
    for (_, wait) in waits { body(wait.goal) }
  }

  func update(_ body: (inout Goal) throws -> Void) rethrows {
    for index in waits.indices { try body(&waits[index].wait.goal) }
  }

  /// Ends all waits with an error.
  func failAll(_ error: CoreError) {
    for (number, _) in waits { finish(number, .failure(error)) }
  }

  private func finish(_ number: Int, _ result: Result<Void, CoreError>) {
    guard let index = waits.firstIndex(where: { $0.number == number }) else { return }
    let wait = waits.remove(at: index).wait
    wait.timer?.cancel()
    ended?(wait.goal, result)
    wait.completion(result)
  }
}

extension CoreError {
  static let connectTimedOut = CoreError(
    .timedOut,
    "Sync connection was not fully established in time"
  )

  static func timedOut(_ subject: String, milliseconds: UInt64) -> CoreError {
    let seconds = Double(milliseconds) / 1000
    return CoreError(.timedOut, "Waiting for \(subject) timed out after \(seconds) seconds.")
  }
}
