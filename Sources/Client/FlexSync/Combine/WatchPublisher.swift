// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Combine)
import Combine
#else
import FlexSync
@preconcurrency import OpenCombine
#endif

extension Publishers {
  /// Publishes the changes of a MongoDB collection until its subscription is canceled.
  public struct WatchPublisher: Publisher {
    public typealias Output = AnyBSON
    public typealias Failure = any Error

    private let start: (any ChangeEventDelegate, DispatchQueue) -> ChangeStream
    private var schedule: ((@escaping () -> Void) -> Void)?
    private var queue = DispatchQueue.main
    private var opened: (@Sendable () -> Void)?

    init(_ start: @escaping (any ChangeEventDelegate, DispatchQueue) -> ChangeStream) { self.start = start }

    /// Calls a block when the server has accepted the request: later changes are published.
    public func onOpen(_ event: @escaping @Sendable () -> Void) -> WatchPublisher {
      var copy = self
      copy.opened = event
      return copy
    }

    /// Publishes on a scheduler instead of the main queue.
    public func subscribe<S: Scheduler>(on scheduler: S) -> WatchPublisher {
      var copy = self
      copy.queue = scheduler.realmQueue ?? DispatchQueue(label: "FlexSync.WatchPublisher")
      copy.schedule = scheduler.realmQueue == nil ? { scheduler.schedule($0) } : nil
      return copy
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == AnyBSON, S.Failure == any Error {
      let subscription = ObservationSubscription()
      subscriber.receive(subscription: subscription)
      let receiver = ChangeReceiver(subscriber, opened, schedule ?? { $0() })
      let stream = start(receiver, queue)
      // The stream does not keep its delegate.
      subscription.begin { withExtendedLifetime(receiver) { stream.close() } }
    }
  }
}

/// Passes the events of a stream to a subscriber.
private final class ChangeReceiver<S: Subscriber>: ChangeEventDelegate
where S.Input == AnyBSON, S.Failure == any Error {
  private let subscriber: S
  private let opened: (@Sendable () -> Void)?
  private let schedule: (@escaping () -> Void) -> Void

  init(
    _ subscriber: S,
    _ opened: (@Sendable () -> Void)?,
    _ schedule: @escaping (@escaping () -> Void) -> Void
  ) {
    self.subscriber = subscriber
    self.opened = opened
    self.schedule = schedule
  }

  func changeStreamDidOpen(_ changeStream: ChangeStream) { opened?() }

  func changeStreamDidClose(with error: (any Error)?) {
    schedule { [subscriber] in
      subscriber.receive(completion: error.map { .failure($0) } ?? .finished)
    }
  }

  func changeStreamDidReceive(error: any Error) {
    schedule { [subscriber] in subscriber.receive(completion: .failure(error)) }
  }

  func changeStreamDidReceive(changeEvent: AnyBSON?) {
    guard let changeEvent else { return }
    schedule { [subscriber] in _ = subscriber.receive(changeEvent) }
  }
}

extension MongoCollection {
  /// Publishes the changes of the collection.
  public func watch() -> Publishers.WatchPublisher {
    Publishers.WatchPublisher { watch(delegate: $0, queue: $1) }
  }

  /// Publishes the changes of documents of the collection.
  public func watch(filterIds: [ObjectId]) -> Publishers.WatchPublisher {
    Publishers.WatchPublisher { watch(filterIds: filterIds, delegate: $0, queue: $1) }
  }

  /// Publishes the changes of the collection that satisfy a filter on change events, such as
  /// `["fullDocument.name": "Ada"]`.
  public func watch(matchFilter: Document) -> Publishers.WatchPublisher {
    Publishers.WatchPublisher { watch(matchFilter: matchFilter, delegate: $0, queue: $1) }
  }
}
