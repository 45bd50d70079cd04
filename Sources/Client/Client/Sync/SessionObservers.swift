// SPDX-License-Identifier: Apache-2.0

/// The observers of one aspect of a session, with what was reported to each. Confined to the loop.
final class SessionObservers<Event, State> {
  private var observers: [(slot: CallbackSlot<Event>, state: State)] = []

  var isEmpty: Bool { observers.isEmpty }

  func add(_ slot: CallbackSlot<Event>, _ state: State) { observers.append((slot, state)) }

  func remove(_ slot: CallbackSlot<Event>) { observers.removeAll { $0.slot === slot } }

  /// Calls `event` for each observer to decide what to report to it and whether that is its last report.
  func notify(_ event: (inout State) throws -> (told: Event?, isLast: Bool)) rethrows {
    for slot in observers.map(\.slot) {
      // A callback may have ended another observation.
      guard let index = observers.firstIndex(where: { $0.slot === slot }) else { continue }
      let (told, isLast) = try event(&observers[index].state)
      if isLast { observers.remove(at: index) }
      if let told { slot.call(told) }
    }
  }
}
