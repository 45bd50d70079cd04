// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A task that waits for its turn to write, until that comes or the task is canceled. Any thread.
final class TurnWaiter: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Bool, Never>)
    case ended(hasTurn: Bool)
  }

  private let state = Mutex(State.idle)

  /// Waits; returns false if the task was canceled first.
  func wait(isolation: isolated (any Actor)?) async -> Bool {
    await withTaskCancellationHandler(
      operation: {
        await withCheckedContinuation(isolation: isolation) { continuation in
          let outcome = state.withLock { state -> Bool? in
            if case .ended(let hasTurn) = state { return hasTurn }
            state = .waiting(continuation)
            return nil
          }
          if let outcome { continuation.resume(returning: outcome) }
        }
      },
      onCancel: { end(hasTurn: false) },
      isolation: isolation
    )
  }

  /// Ends the waiting unless it has ended before.
  func end(hasTurn: Bool) {
    let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      switch state {
      case .ended: return nil
      case .idle:
        state = .ended(hasTurn: hasTurn)
        return nil
      case .waiting(let continuation):
        state = .ended(hasTurn: hasTurn)
        return continuation
      }
    }
    continuation?.resume(returning: hasTurn)
  }
}
