// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

extension _RealmHandle {
  static func open(_ configuration: Realm.Configuration) throws -> _RealmHandle {
    let handle = _RealmHandle(try configuration.open(), configuration)
    try handle.bind(DiscoveredClass.closure(of: configuration.objectTypes ?? []))
    return handle
  }

  /// Makes a realm of the main thread refresh itself on the main queue when newer data exists.
  func refreshOnMainQueueIfOpenedThere() {
    guard Thread.isMainThread else { return }
    let weakRealm = WeakRealm(live)
    refreshWhenChanged { DispatchQueue.main.async { weakRealm.refresh() } }
  }

  /// Makes a realm of an actor refresh itself on the actor when newer data exists.
  func refresh(on actor: any Actor) {
    let weakRealm = WeakRealm(live)
    refreshWhenChanged { _Concurrency.Task { await weakRealm.refresh(on: actor) } }
  }

  private func refreshWhenChanged(_ schedule: @escaping @Sendable () -> Void) {
    scheduleRefresh = schedule
    callWhenChanged(schedule)
  }
}

/// Advances a realm to the newest data if it still exists. Must be used only where the realm belongs.
private final class WeakRealm: @unchecked Sendable {
  private weak var realm: LiveRealm?

  init(_ realm: LiveRealm) { self.realm = realm }

  func refresh() {
    // An error of the background refresh is not lost: the next access to the realm encounters and reports it again.
    _ = realm?.refresh()
  }

  func refresh(on actor: isolated any Actor) { refresh() }
}

extension Realm {
  /// Opens a realm on the main actor, waiting for the server as `downloadBeforeOpen` says.
  ///
  /// - Throws: `Realm.Error`, with code `subscriptionFailed` if the server rejected the initial subscriptions.
  @MainActor
  public init(
    configuration: Configuration = .defaultConfiguration,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    try await Realm.prepare(configuration, downloadBeforeOpen, isolation: MainActor.shared)
    handle = try _RealmHandle.open(configuration)
    handle.refresh(on: MainActor.shared)
  }

  /// Opens a realm that belongs to `actor`, waiting for the server as `downloadBeforeOpen` says. Call it on that
  /// actor.
  public init<ActorType: Actor>(
    configuration: Configuration = .defaultConfiguration,
    actor: isolated ActorType,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    try await Realm.prepare(configuration, downloadBeforeOpen, isolation: actor)
    handle = try _RealmHandle.open(configuration)
    handle.refresh(on: actor)
  }

  /// Opens a realm that belongs to the calling actor, waiting for the server as `downloadBeforeOpen` says.
  public static func open(
    configuration: Configuration = .defaultConfiguration,
    downloadBeforeOpen: OpenBehavior = .never,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Realm {
    try await prepare(configuration, downloadBeforeOpen, isolation: isolation)
    let realm = Realm(try _RealmHandle.open(configuration))
    if let isolation { realm.handle.refresh(on: isolation) }
    return realm
  }

  private static func prepare(
    _ configuration: Configuration,
    _ behavior: OpenBehavior,
    isolation: isolated (any Actor)?
  ) async throws {
    guard behavior != .never else { return }
    try await awaitCompletion(isolation: isolation) { configuration.startOpening(behavior, $0) }
  }

  /// Downloads the current state of a realm and passes the realm, opened on the main queue, to `callback`.
  @discardableResult
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration,
    callback: @escaping @MainActor @Sendable (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    let task = AsyncOpenTask { error in
      DispatchQueue.main.async {
        if let error { return callback(.failure(error)) }
        callback(Result { try Realm(configuration: configuration) })
      }
    }
    startOperation(task.end) { configuration.startOpening(.always, $0) }
    return task
  }
}
