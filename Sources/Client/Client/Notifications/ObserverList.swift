// SPDX-License-Identifier: Apache-2.0

/// Somebody who is told, on the realm's thread, what changed.
protocol Observer: AnyObject {
  /// - Parameter touched: what was written since the last call; empty if the observer is only due for a first report.
  func deliver(_ touched: TouchedRows) throws
}

/// The observers of one realm handle. Tokens may be released on any thread; the rest happens on the realm's.
final class ObserverList: @unchecked Sendable {
  typealias Number = Int

  private struct State {
    var observers: [Number: any Observer] = [:]
    /// In the order in which they came.
    var numbers: [Number] = []
    var next = 0
  }

  private let lock = RecursiveLock()
  /// Guarded by `lock`. Nobody is called meanwhile, and no observer is given back.
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

  /// Tells everybody; who is removed by another's callback is not told any more.
  func deliver(_ touched: TouchedRows) {
    for number in lock.withLock({ state.numbers }) {
      guard let observer = lock.withLock({ state.observers[number] }) else { continue }
      do {
        try observer.deliver(touched)
      } catch {
        Log.write(.FLX_LOG_ERROR, "a notification could not be made: \(error)")
      }
    }
  }
}
