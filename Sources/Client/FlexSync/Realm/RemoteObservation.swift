// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// An observation on another queue or actor than that of the realm of what is observed: in a realm of that place.
struct RemoteObservation: @unchecked Sendable {
  /// Begins the observation at a place. Returns what ends it, and what must be released there; nil if what was to be
  /// observed was deleted, or if the realm cannot be opened.
  private let begin: (RealmPlace) -> (token: NotificationToken, kept: Kept)?

  /// - Parameters:
  ///   - observed: what to observe; it is in a realm.
  ///   - register: observes the same in a realm of the other place, where it is called.
  init<Observed: ThreadConfined>(of observed: Observed, _ register: @escaping (Observed) -> NotificationToken)
  {
    let reference = ThreadSafeReference(to: observed)
    let configuration = observed.realm?.configuration ?? .defaultConfiguration
    begin = { place in
      guard let realm = try? Realm(_RealmHandle.open(configuration, at: place)),
        let found = realm.resolve(reference)
      else { return nil }
      return (register(found), Kept(found))
    }
  }

  /// Observes on a serial queue.
  func start(on queue: DispatchQueue) -> NotificationToken {
    let token = NotificationToken()
    queue.async {
      token.begin {
        begin(RealmPlace(queue)).map { inner, kept in
          {
            inner.invalidate()
            queue.async { kept.release() }
          }
        }
      }
    }
    return token
  }

  /// Observes on an actor. If the task has been canceled, the token is invalid.
  func start(on actor: isolated some Actor) -> NotificationToken {
    let token = NotificationToken()
    guard !_Concurrency.Task.isCancelled, let (inner, kept) = begin(RealmPlace(actor)) else {
      token.invalidate()
      return token
    }
    token.begin {
      {
        inner.invalidate()
        _Concurrency.Task { await release(kept, on: actor) }
      }
    }
    return token
  }
}

/// Keeps something until it can be released where it belongs, because the last use of a realm closes it.
private final class Kept: @unchecked Sendable {
  private var value: Any?

  init(_ value: Any) { self.value = value }

  func release() { value = nil }
}

private func release(_ kept: Kept, on actor: isolated any Actor) async { kept.release() }

extension Actor {
  /// Calls a block of the actor from a callback that runs on the actor.
  nonisolated func assumed<Argument>(
    _ block: @Sendable (isolated Self, Argument) -> Void,
    _ argument: Argument
  ) {
    nonisolated(unsafe) let argument = argument
    assumeIsolated { block($0, argument) }
  }
}
