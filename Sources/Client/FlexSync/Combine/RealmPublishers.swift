// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Combine)
import Combine
#else
import FlexSync
import OpenCombine
import OpenCombineDispatch
#endif

/// The publishers of realms and what is in them.
///
/// A publisher observes where it is subscribed to: in the realm of the calling thread or actor or, after
/// `subscribe(on:)`, in a realm of a serial queue.
public enum RealmPublishers {}

/// A publisher that observes something in a realm.
public protocol _RealmPublisher: Publisher {
  /// Begins to observe for a subscriber.
  func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
  where S.Input == Output, S.Failure == Failure
}

/// A publisher that can observe on a queue of its own.
public protocol _QueuedRealmPublisher: _RealmPublisher {
  /// The same publisher, observing on a queue.
  func _on(_ queue: DispatchQueue) -> Self
}

extension _RealmPublisher {
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let subscription = ObservationSubscription()
    // First, because a subscriber may drop what comes before.
    subscriber.receive(subscription: subscription)
    let token = _observe(subscriber)
    subscription.begin { token.invalidate() }
  }
}

extension _RealmPublisher {
  /// Saves the token of the observation in a property of the program.
  public func saveToken<Parent>(
    on parent: Parent,
    at keyPath: WritableKeyPath<Parent, NotificationToken?>
  ) -> RealmPublishers.WithToken<Self, Parent> {
    RealmPublishers.WithToken(self, parent, keyPath)
  }
}

extension _QueuedRealmPublisher {
  /// Observes on a serial queue, in a realm of the queue. Any other scheduler stops the program.
  public func subscribe<S: Scheduler>(on scheduler: S) -> Self { _on(scheduler.requiredQueue) }
}

extension Scheduler {
  /// The queue that a scheduler is; nil if it is something else.
  var realmQueue: DispatchQueue? {
    #if canImport(Combine)
    self as? DispatchQueue
    #else
    self as? DispatchQueue ?? (self as? DispatchQueue.OCombine)?.queue
    #endif
  }

  var requiredQueue: DispatchQueue {
    guard let queue = realmQueue else {
      Misuse.stop(
        "Cannot subscribe on scheduler \(self): only serial dispatch queues are currently implemented."
      )
    }
    return queue
  }
}

// MARK: - Tokens

extension RealmPublishers {
  /// A publisher that saves the token of its observation in a property of the program, which can then write without
  /// notifying the subscriber.
  public final class WithToken<Source: _RealmPublisher, Parent>: _RealmPublisher {
    public typealias Output = Source.Output
    public typealias Failure = Source.Failure

    private let source: Source
    private var parent: Parent
    private let keyPath: WritableKeyPath<Parent, NotificationToken?>

    init(_ source: Source, _ parent: Parent, _ keyPath: WritableKeyPath<Parent, NotificationToken?>) {
      self.source = source
      self.parent = parent
      self.keyPath = keyPath
    }

    public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
    where S.Input == Output, S.Failure == Failure {
      let token = source._observe(subscriber)
      parent[keyPath: keyPath] = token
      return token
    }
  }
}

extension RealmPublishers.WithToken: _QueuedRealmPublisher where Source: _QueuedRealmPublisher {
  public func _on(_ queue: DispatchQueue) -> RealmPublishers.WithToken<Source, Parent> {
    RealmPublishers.WithToken(source._on(queue), parent, keyPath)
  }
}
