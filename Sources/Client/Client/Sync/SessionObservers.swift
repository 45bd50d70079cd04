// SPDX-License-Identifier: Apache-2.0

/// Those who want to know about something in a session, with what each has been told. Confined to the loop.
final class SessionObservers<Event, State> {
  private var observers: [(slot: CallbackSlot<Event>, state: State)] = []

  var isEmpty: Bool { observers.isEmpty }

  func add(_ slot: CallbackSlot<Event>, _ state: State) { observers.append((slot, state)) }

  func remove(_ slot: CallbackSlot<Event>) { observers.removeAll { $0.slot === slot } }

  /// Lets `event` decide what each observer is told, and when one has been told enough.
  func notify(_ event: (inout State) throws -> (told: Event?, isLast: Bool)) rethrows {
    for slot in observers.map(\.slot) {
      // A callback may have ended the observation of another one.
      guard let index = observers.firstIndex(where: { $0.slot === slot }) else { continue }
      let (told, isLast) = try event(&observers[index].state)
      if isLast { observers.remove(at: index) }
      if let told { slot.call(told) }
    }
  }
}
