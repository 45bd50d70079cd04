// SPDX-License-Identifier: Apache-2.0

/// A receiver of change reports on the realm's thread.
protocol Observer: AnyObject {
  /// - Parameter touched: the rows written since the last call; empty if only the first report is due.
  func deliver(_ touched: TouchedRows) throws
}

/// The observers of one realm handle. Tokens may be released on any thread; all else happens on the realm's thread.
final class ObserverList: @unchecked Sendable {
  typealias Number = Int

  private struct State {
    var observers: [Number: any Observer] = [:]
    /// In order of registration.
    var numbers: [Number] = []
    var next = 0
  }

  private let lock = RecursiveLock()
  /// Guarded by `lock`. No observer is called or released while the lock is held.
  private var state = State()

  var isEmpty: Bool { lock.withLock { state.observers.isEmpty } }

  func add(_ observer: any Observer) -> Number {
    lock.withLock {
      state.next += 1
      state.observers[state.next] = observer
      state.numbers.append(state.next)
      return state.next
    }
  }

  func remove(_ number: Number) {
    let removed = lock.withLock {
      state.numbers.removeAll { $0 == number }
      return state.observers.removeValue(forKey: number)
    }
    withExtendedLifetime(removed) {}
  }

  func removeAll() {
    let removed = lock.withLock {
      defer { (state.observers, state.numbers) = ([:], []) }
      return state.observers
    }
    withExtendedLifetime(removed) {}
  }

  /// Calls all observers, except those that another observer's callback has just removed.
  func deliver(_ touched: TouchedRows) {
    for number in lock.withLock({ state.numbers }) {
      guard let observer = lock.withLock({ state.observers[number] }) else { continue }
      do {
        try observer.deliver(touched)
      } catch {
        Log.write(.error, "cannot deliver a change notification: \(error)")
      }
    }
  }
}
