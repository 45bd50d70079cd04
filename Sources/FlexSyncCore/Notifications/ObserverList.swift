// SPDX-License-Identifier: Apache-2.0

/// Somebody who is told, on the realm's thread, what changed.
protocol Observer: AnyObject {
  /// - Parameter touched: what was written since the last call; empty if the observer is only due for a first report.
  func deliver(_ touched: TouchedRows) throws
}

/// The observers of one realm handle.
final class ObserverList {
  typealias Number = Int

  private var observers: [Number: any Observer] = [:]
  /// In the order in which they came.
  private var numbers: [Number] = []
  private var next = 0

  var isEmpty: Bool { observers.isEmpty }

  func add(_ observer: any Observer) -> Number {
    next += 1
    observers[next] = observer
    numbers.append(next)
    return next
  }

  func remove(_ number: Number) {
    guard observers.removeValue(forKey: number) != nil else { return }
    numbers.removeAll { $0 == number }
  }

  func removeAll() {
    observers = [:]
    numbers = []
  }

  /// Tells everybody; who is removed by another's callback is not told any more.
  func deliver(_ touched: TouchedRows) {
    for number in numbers {
      guard let observer = observers[number] else { continue }
      do {
        try observer.deliver(touched)
      } catch {
        Log.write(.FLX_LOG_ERROR, "a notification could not be made: \(error)")
      }
    }
  }
}
