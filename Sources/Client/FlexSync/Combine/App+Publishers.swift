// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Combine)
import Combine
#else
import FlexSync
@preconcurrency import OpenCombine
import OpenCombineDispatch
#endif

/// Publishes an app after each login, logout, removal of a user and change of the current user.
public struct AppPublisher: Publisher {
  public typealias Output = App
  public typealias Failure = Never

  private let app: App
  private let scheduler: any Scheduler

  init(_ app: App, on scheduler: any Scheduler) {
    self.app = app
    self.scheduler = scheduler
  }

  /// Publishes on a scheduler instead of the main queue.
  public func receive<S: Scheduler>(on scheduler: S) -> AppPublisher { AppPublisher(app, on: scheduler) }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == App, S.Failure == Never {
    let deliver = Delivery { [scheduler] app in scheduler.schedule { _ = subscriber.receive(app) } }
    app.observers.serve(subscriber, ofUser: nil) { [app] in deliver(app) }
  }
}

/// Publishes a user, on a background thread, after each login, logout, link and removal of the user and each refresh of the
/// custom data.
public final class UserPublisher: Publisher {
  public typealias Output = User
  public typealias Failure = Never

  private let user: User

  init(_ user: User) { self.user = user }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == User, S.Failure == Never {
    let deliver = Delivery { _ = subscriber.receive($0) }
    user.app.observers.serve(subscriber, ofUser: user.id) { [user] in deliver(user) }
  }
}

extension AccountObservers {
  fileprivate func serve(
    _ subscriber: some Subscriber,
    ofUser id: String?,
    _ publish: @escaping @Sendable () -> Void
  ) {
    let subscription = ObservationSubscription()
    subscriber.receive(subscription: subscription)
    let token = add(ofUser: id, publish)
    subscription.begin { token.invalidate() }
  }
}

extension App: ObservableObject {
  /// Publishes the app on the main queue after each login, logout, removal of a user and change of the current user.
  public var objectWillChange: AppPublisher { AppPublisher(self, on: DispatchQueue.main) }
}

extension User: ObservableObject {
  /// Publishes the user on the main queue after each change. See `UserPublisher`.
  public var objectWillChange: AnyPublisher<User, Never> {
    UserPublisher(self).receive(on: DispatchQueue.main).eraseToAnyPublisher()
  }
}

extension SyncSession {
  /// Publishes the connection state on a background thread, until the subscription is canceled.
  ///
  /// - Parameters:
  ///   - keyPath: `\.connectionState`.
  ///   - options: `initial` publishes the present state at once.
  public func publisher(
    for keyPath: KeyPath<SyncSession, ConnectionState>,
    options: SessionObservingOptions = [.initial, .new]
  ) -> RealmPublishers.ConnectionState {
    RealmPublishers.ConnectionState(session: self, keyPath: keyPath, options: options)
  }
}

extension RealmPublishers {
  /// Publishes the connection state of a session.
  public struct ConnectionState: _RealmPublisher {
    public typealias Output = SyncSession.ConnectionState
    public typealias Failure = Never

    let session: SyncSession
    let keyPath: KeyPath<SyncSession, SyncSession.ConnectionState>
    let options: SessionObservingOptions

    public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
    where S.Input == SyncSession.ConnectionState, S.Failure == Never {
      let deliver = Delivery { _ = subscriber.receive($0) }
      return session.observe(keyPath, options: options) { _, change in change.newValue.map { deliver($0) } }
    }
  }
}
