// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Runs something soon where a realm belongs, if the realm still exists then. Any thread.
typealias RealmScheduler = @Sendable (@escaping @Sendable (LiveRealm) -> Void) -> Void

/// Where a realm is used. Opening a realm at a place where it is open gives the same one.
enum RealmPlace {
  /// The main thread, which is also the main actor.
  case main
  /// Another thread.
  case thread
  /// Another actor.
  case actor(any Actor)
  /// A serial queue other than the main one.
  case queue(DispatchQueue)

  /// The place of an actor.
  init(_ actor: any Actor) {
    self = actor === MainActor.shared ? .main : .actor(actor)
  }

  /// The place of a serial queue.
  init(_ queue: DispatchQueue) {
    self = queue === DispatchQueue.main ? .main : .queue(queue)
  }

  /// The place of the caller; nil in a task outside the main thread, which may continue on any thread.
  static var current: RealmPlace? {
    if Thread.isMainThread || isOnMainQueue { return .main }
    return withUnsafeCurrentTask { $0 == nil } ? .thread : nil
  }

  private static let mainQueueKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the main queue, which runs the main actor, is running the caller. On Linux it may run on any thread: the
  /// main thread ends when a program calls `dispatchMain` or has an asynchronous `main`.
  private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

  /// Returns the realm that is open here at the location that a configuration names.
  func openRealm(_ configuration: Realm.Configuration) -> LiveRealm? {
    realms.realm(at: RealmLocation(configuration))
  }

  /// Notes a realm that has been opened here.
  func note(_ realm: LiveRealm) { realms.note(realm) }

  /// Returns what runs something with the realm here; nil for a thread, which the program may never return to.
  func scheduler(of realm: LiveRealm) -> RealmScheduler? {
    let realm = WeakRealm(realm)
    switch self {
    case .main: return { job in DispatchQueue.main.async { realm.run(job) } }
    case .thread: return nil
    case .actor(let actor): return { job in _Concurrency.Task { await realm.run(job, on: actor) } }
    case .queue(let queue): return { job in queue.async { realm.run(job) } }
    }
  }

  /// Whether this is the place of an actor.
  func isPlace(of other: any Actor) -> Bool {
    switch self {
    case .main: other === MainActor.shared
    case .actor(let actor): actor === other
    case .thread, .queue: false
    }
  }

  private var realms: OpenRealms {
    switch self {
    case .main: OpenRealms.ofMainThread
    case .thread: OpenRealms.ofCurrentThread
    case .actor(let actor): OpenRealms.of(actor)
    case .queue(let queue): OpenRealms.of(queue)
    }
  }
}

/// The place in which a configuration stores a realm.
fileprivate struct RealmLocation: Hashable {
  private let path: String
  private let memoryName: String?
  private let user: User?

  init(_ configuration: Realm.Configuration) {
    path = configuration.path
    memoryName = configuration.inMemoryIdentifier
    user = configuration.syncConfiguration?.user
  }
}

/// The realms that are open at one place.
final class OpenRealms: Sendable {
  private struct Entry: @unchecked Sendable {
    weak var realm: LiveRealm?
    /// The same realm while it is in a write transaction.
    var kept: LiveRealm?
  }

  /// The realms of an actor or a queue.
  private struct Owner: @unchecked Sendable {
    weak var owner: AnyObject?
    let realms = OpenRealms()
  }

  static let ofMainThread = OpenRealms()
  private static let owners = Mutex<[ObjectIdentifier: Owner]>([:])

  private let entries = Mutex<[RealmLocation: Entry]>([:])

  /// The realms of this thread, which are forgotten when it ends.
  static var ofCurrentThread: OpenRealms {
    let key = "FlexSync.OpenRealms"
    let dictionary = Thread.current.threadDictionary
    if let known = dictionary[key] as? OpenRealms { return known }
    let realms = OpenRealms()
    dictionary[key] = realms
    return realms
  }

  /// The realms of an actor or a queue.
  static func of(_ owner: AnyObject) -> OpenRealms {
    owners.withLock { owners in
      // Another owner may have been at the same address.
      if let known = owners[ObjectIdentifier(owner)], known.owner === owner { return known.realms }
      owners = owners.filter { $0.value.owner != nil }
      let new = Owner(owner: owner)
      owners[ObjectIdentifier(owner)] = new
      return new.realms
    }
  }

  fileprivate func realm(at location: RealmLocation) -> LiveRealm? {
    entries.withLock { $0[location]?.realm }
  }

  fileprivate func note(_ realm: LiveRealm) {
    entries.withLock { entries in
      entries = entries.filter { $0.value.realm != nil }
      entries[RealmLocation(realm.configuration)] = Entry(realm: realm)
    }
    realm.siblings = self
  }

  /// Keeps the realm of a configuration open; nil to let go of it.
  func keep(_ realm: LiveRealm?, at configuration: Realm.Configuration) {
    entries.withLock { $0[RealmLocation(configuration)]?.kept = realm }
  }
}

/// Uses a realm if it still exists. Must be used only where the realm belongs.
private final class WeakRealm: @unchecked Sendable {
  private weak var realm: LiveRealm?

  init(_ realm: LiveRealm) { self.realm = realm }

  func run(_ job: (LiveRealm) -> Void) { if let realm { job(realm) } }

  func run(_ job: (LiveRealm) -> Void, on actor: isolated any Actor) { run(job) }
}
