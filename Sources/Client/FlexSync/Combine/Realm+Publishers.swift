// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Combine)
import Combine
#else
import FlexSync
@preconcurrency import OpenCombine
#endif

extension Realm {
  /// Publishes after each change of the realm, for write transactions of this realm before `write` returns.
  public var objectWillChange: RealmPublishers.RealmWillChange {
    RealmPublishers.RealmWillChange(realm: self)
  }

  /// Publishes the realm once the current state has been downloaded; opened on the main queue unless `receive(on:)` names
  /// another.
  public static func asyncOpen(configuration: Realm.Configuration = .defaultConfiguration)
    -> RealmPublishers.AsyncOpenPublisher
  {
    RealmPublishers.AsyncOpenPublisher(configuration: configuration)
  }
}

extension RealmPublishers {
  /// Downloads a realm and publishes it. Canceling the subscription cancels the download.
  public struct AsyncOpenPublisher: Publisher {
    public typealias Output = Realm
    public typealias Failure = any Error

    private let configuration: Realm.Configuration
    private var queue = DispatchQueue.main
    private var progress: (@Sendable (SyncSession.Progress) -> Void)?

    init(configuration: Realm.Configuration) { self.configuration = configuration }

    /// Reports the progress of the download on the queue on which the realm is delivered.
    public func onProgressNotification(_ block: @escaping @Sendable (SyncSession.Progress) -> Void)
      -> AsyncOpenPublisher
    {
      var copy = self
      copy.progress = block
      return copy
    }

    /// Opens and delivers the realm on a serial queue, to which it belongs. Any other scheduler stops the program.
    public func receive<S: Scheduler>(on scheduler: S) -> AsyncOpenPublisher {
      var copy = self
      copy.queue = scheduler.requiredQueue
      return copy
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Realm, S.Failure == any Error {
      let subscription = ObservationSubscription()
      subscriber.receive(subscription: subscription)
      let deliver = Delivery { (result: Result<Realm, any Error>) in subscriber.receive(only: result) }
      let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { deliver($0) }
      if let progress { task.addProgressNotification(queue: queue, block: progress) }
      subscription.begin { task.cancel() }
    }
  }
}

extension Subscriber where Failure == any Error {
  /// Receives the only value, or the error.
  fileprivate func receive(only result: Result<Input, any Error>) {
    switch result {
    case .success(let value):
      _ = receive(value)
      receive(completion: .finished)
    case .failure(let error): receive(completion: .failure(error))
    }
  }
}

/// Publishes to a subscriber one value at a time, from any thread.
struct Delivery<Value>: @unchecked Sendable {
  private let deliver: (Value) -> Void

  init(_ deliver: @escaping (Value) -> Void) { self.deliver = deliver }

  func callAsFunction(_ value: Value) { deliver(value) }
}
