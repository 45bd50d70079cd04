// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

extension _RealmHandle {
  /// Opens a realm, or returns the one that is open at a place.
  ///
  /// - Parameter place: where the realm is going to be used; nil for a realm of its own.
  static func open(_ configuration: Realm.Configuration, at place: RealmPlace?) throws -> _RealmHandle {
    try configuration.requireConsistency()
    if let live = place?.openRealm(configuration) {
      try live.configuration.requireAgreement(with: configuration)
      let handle = _RealmHandle(live)
      try handle.register(configuration.objectTypes ?? [])
      return handle
    }
    let classes = configuration.objectTypes ?? configuration.classesOfFile
    let live = LiveRealm(try configuration.openNamingFile(classes), configuration)
    let handle = _RealmHandle(live)
    let discovered = DiscoveredClass.closure(of: classes)
    try configuration.readOnly ? handle.bindPresent(discovered) : handle.bind(discovered)
    if let place {
      place.note(live)
      live.settle(at: place)
    }
    return handle
  }
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
    handle = try _RealmHandle.open(configuration, at: .main)
  }

  /// Opens a realm that belongs to `actor`, waiting for the server as `downloadBeforeOpen` says. Call it on that
  /// actor.
  public init<ActorType: Actor>(
    configuration: Configuration = .defaultConfiguration,
    actor: isolated ActorType,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    try await Realm.prepare(configuration, downloadBeforeOpen, isolation: actor)
    handle = try _RealmHandle.open(configuration, at: RealmPlace(actor))
  }

  /// Opens a realm that belongs to the calling actor, waiting for the server as `downloadBeforeOpen` says.
  public static func open(
    configuration: Configuration = .defaultConfiguration,
    downloadBeforeOpen: OpenBehavior = .never,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Realm {
    try await prepare(configuration, downloadBeforeOpen, isolation: isolation)
    return Realm(try _RealmHandle.open(configuration, at: isolation.map(RealmPlace.init)))
  }

  private static func prepare(
    _ configuration: Configuration,
    _ behavior: OpenBehavior,
    isolation: isolated (any Actor)?
  ) async throws {
    guard behavior != .never else { return }
    let failure: (any Swift.Error)? = await withCheckedContinuation(isolation: isolation) { continuation in
      do {
        try configuration.startOpening(behavior) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(returning: error)
      }
    }
    if let failure { throw failure }
  }

  /// Downloads the current state of a realm and passes the realm, opened on the main queue, to `callback`.
  @discardableResult
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration,
    callback: @escaping @MainActor @Sendable (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    startOpening(configuration) { error in
      DispatchQueue.main.async {
        if let error { return callback(.failure(error)) }
        callback(Result { try Realm(configuration: configuration) })
      }
    }
  }

  /// Downloads the current state of a realm and passes the realm to `callback` on a serial queue, to which the realm
  /// belongs.
  @discardableResult
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration,
    callbackQueue: DispatchQueue,
    callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    startOpening(configuration) { error in
      callbackQueue.async {
        if let error { return callback(.failure(error)) }
        let queue = callbackQueue === DispatchQueue.main ? nil : callbackQueue
        callback(Result { try Realm(configuration: configuration, queue: queue) })
      }
    }
  }

  private static func startOpening(
    _ configuration: Configuration,
    _ finish: @escaping @Sendable ((any Swift.Error)?) -> Void
  ) -> AsyncOpenTask {
    let task = AsyncOpenTask(finish)
    do {
      try configuration.startOpening(.always, progress: task.report, task.end)
    } catch {
      task.end(error)
    }
    return task
  }
}
