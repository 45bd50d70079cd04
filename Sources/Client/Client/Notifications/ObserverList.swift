// SPDX-License-Identifier: Apache-2.0

/// The changes that a realm reports to its observers at one time.
struct Delivery {
  /// The rows written since the last delivery; empty if only first reports are due.
  var touched = TouchedRows()
  /// Whether the handle itself has just committed them.
  var isOwnCommit = false
  /// Whether the observer must follow the changes without reporting them.
  var isSilenced = false
}

/// A receiver of change reports on the realm's thread.
protocol Observer: AnyObject {
  func deliver(_ delivery: Delivery) throws

  /// Reads what the observer needs to know of the old data, before the realm advances. It must not call into the program
  /// or take a lock.
  ///
  /// - Parameter touched: the rows that the next delivery is going to be about.
  func prepare(_ touched: TouchedRows)
}

extension Observer {
  func prepare(_ touched: TouchedRows) {}
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

  /// Lets the observers read old data before the realm advances.
  func prepare(_ touched: TouchedRows) {
    for observer in lock.withLock({ Array(state.observers.values) }) { observer.prepare(touched) }
  }

  /// Calls all observers, except those that another observer's callback has just removed.
  ///
  /// - Parameter silenced: the observers that must not report.
  func deliver(_ delivery: Delivery, silenced: Set<Number> = []) {
    for number in lock.withLock({ state.numbers }) {
      guard let observer = lock.withLock({ state.observers[number] }) else { continue }
      do {
        var delivery = delivery
        delivery.isSilenced = silenced.contains(number)
        try observer.deliver(delivery)
      } catch {
        Log.write(.error, "cannot deliver a change notification: \(error)")
      }
    }
  }
}
