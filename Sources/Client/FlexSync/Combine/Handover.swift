// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Combine)
import Combine
#else
import FlexSync
import OpenCombine
#endif

extension ThreadConfined {
  /// Returns what finds the same in the realm of another queue, or of the calling thread if that is nil. It keeps nothing
  /// that belongs to the realm of this.
  fileprivate var departure: (DispatchQueue?) -> Self? {
    guard let realm, !realm.isFrozen else { return { _ in self } }
    let (reference, configuration) = (ThreadSafeReference(to: self), realm.configuration)
    return { queue in (try? Realm(configuration: configuration, queue: queue))?.resolve(reference) }
  }
}

extension _RealmChange where _Observed: ThreadConfined {
  fileprivate var departure: (DispatchQueue?) -> Self? {
    guard let (observed, remake) = _parts else { return { _ in self } }
    let departure = observed.departure
    return { queue in departure(queue).map(remake) }
  }
}

extension RealmPublishers {
  /// Delivers objects, collections or their changes on another queue, in a realm of that queue. What was deleted in the
  /// meantime is left out.
  public struct DeferredHandover<Upstream: Publisher, S: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    fileprivate let upstream: Upstream
    fileprivate let scheduler: S
    fileprivate let departure: (Output) -> (DispatchQueue?) -> Output?

    public func receive<Sub: Subscriber>(subscriber: Sub) where Sub.Input == Output, Sub.Failure == Failure {
      let queue = scheduler.realmQueue
      upstream.map(departure).receive(on: scheduler).compactMap { arrive in arrive(queue) }
        .receive(subscriber: subscriber)
    }
  }

  /// Passes on what it receives, up to a `receive(on:)`, with which it is delivered in a realm of that queue.
  public struct MakeThreadSafe<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    fileprivate let upstream: Upstream
    fileprivate let departure: (Output) -> (DispatchQueue?) -> Output?

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: subscriber)
    }

    /// Delivers on a serial queue, in a realm of the queue.
    public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<Upstream, S> {
      DeferredHandover(upstream: upstream, scheduler: scheduler, departure: departure)
    }
  }
}

// MARK: - To another queue

extension _RealmPublisher where Output: ThreadConfined {
  /// Delivers on a serial queue, in a realm of the queue.
  public func receive<S: Scheduler>(on scheduler: S) -> RealmPublishers.Handover<Self, S> {
    threadSafeReference().receive(on: scheduler)
  }
}

extension _RealmPublisher where Output: _RealmChange, Output._Observed: ThreadConfined {
  /// Delivers on a serial queue, in a realm of the queue.
  public func receive<S: Scheduler>(on scheduler: S) -> RealmPublishers.DeferredHandover<Self, S> {
    threadSafeReference().receive(on: scheduler)
  }
}

extension Publisher where Output: ThreadConfined {
  /// Lets a following `receive(on:)` deliver what this publishes in a realm of its queue. Frozen objects, and those in no
  /// realm, are delivered as they are.
  public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self> {
    RealmPublishers.MakeThreadSafe(upstream: self, departure: \.departure)
  }

  /// Freezes what this publishes, for use on any thread.
  public func freeze() -> Publishers.Map<Self, Output> { map { $0.freeze() } }
}

extension Publisher where Output: _RealmChange, Output._Observed: ThreadConfined {
  /// Lets a following `receive(on:)` deliver the changes in a realm of its queue. That realm may have seen later changes.
  public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self> {
    RealmPublishers.MakeThreadSafe(upstream: self, departure: \.departure)
  }

  /// Freezes the objects and collections of the changes, for use on any thread.
  public func freeze() -> Publishers.Map<Self, Output> {
    map { change in change._parts.map { $0.remake($0.observed.freeze()) } ?? change }
  }
}

/// The names in the Realm Swift SDK.
extension RealmPublishers {
  public typealias Handover<Upstream: Publisher, S: Scheduler> = DeferredHandover<Upstream, S>
  public typealias MakeThreadSafeObjectChangeset<Upstream: Publisher, T> = MakeThreadSafe<Upstream>
  public typealias MakeThreadSafeCollectionChangeset<Upstream: Publisher, T> = MakeThreadSafe<Upstream>
  public typealias MakeThreadSafeKeyedCollectionChangeset<Upstream: Publisher, T> = MakeThreadSafe<Upstream>
  public typealias MakeThreadSafeSectionedResultsChangeset<Upstream: Publisher, T> = MakeThreadSafe<Upstream>
  public typealias DeferredHandoverObjectChangeset<Upstream: Publisher, T, S: Scheduler> =
    DeferredHandover<Upstream, S>
  public typealias DeferredHandoverCollectionChangeset<Upstream: Publisher, T, S: Scheduler> =
    DeferredHandover<Upstream, S>
  public typealias DeferredHandoverKeyedCollectionChangeset<Upstream: Publisher, T, S: Scheduler> =
    DeferredHandover<Upstream, S>
  public typealias DeferredHandoverSectionedResultsChangeset<Upstream: Publisher, T, S: Scheduler> =
    DeferredHandover<Upstream, S>
  public typealias DeferredHandoverSectionChangeset<Upstream: Publisher, T, S: Scheduler> =
    DeferredHandover<Upstream, S>
}
