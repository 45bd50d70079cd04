// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Combine)
import Combine
#else
import FlexSync
import OpenCombine
#endif

extension RealmPublishers {
  /// Publishes after each change of a realm.
  public struct RealmWillChange: _RealmPublisher {
    public typealias Output = Void
    public typealias Failure = Never

    let realm: Realm

    /// Saves the token of the observation in a property.
    public func saveToken<Parent>(
      on parent: Parent,
      for keyPath: WritableKeyPath<Parent, NotificationToken?>
    ) -> RealmWillChangeWithToken<Parent> {
      WithToken(self, parent, keyPath)
    }

    public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
    where S.Input == Void, S.Failure == Never {
      realm.observe { _, _ in _ = subscriber.receive() }
    }
  }

  public typealias RealmWillChangeWithToken<Parent> = WithToken<RealmWillChange, Parent>

  /// Publishes after each change of an object, a collection or a projection, and, for collections, once at the beginning.
  public struct WillChange<Collection: RealmSubscribable>: _RealmPublisher {
    public typealias Output = Void
    public typealias Failure = Never

    private let collection: Collection

    init(_ collection: Collection) { self.collection = collection }

    public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
    where S.Input == Void, S.Failure == Never {
      collection._observe(subscriber)
    }
  }

  public typealias WillChangeWithToken<Collection: RealmSubscribable, Parent> =
    WithToken<WillChange<Collection>, Parent>

  /// Publishes an object, a collection or a projection after each change. It completes when an object is deleted.
  public struct Value<Subscribable: RealmSubscribable>: _QueuedRealmPublisher {
    public typealias Output = Subscribable
    public typealias Failure = any Error

    private let subscribable: Subscribable
    private let keyPaths: [String]?
    private let queue: DispatchQueue?

    init(_ subscribable: Subscribable, keyPaths: [String]? = nil, queue: DispatchQueue? = nil) {
      Misuse.require(subscribable.realm != nil, "Only managed objects can be published")
      self.subscribable = subscribable
      self.keyPaths = keyPaths
      self.queue = queue
    }

    public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
    where S.Input == Subscribable, S.Failure == any Error {
      subscribable._observe(keyPaths, on: queue, subscriber)
    }

    public func _on(_ queue: DispatchQueue) -> Value { Value(subscribable, keyPaths: keyPaths, queue: queue) }
  }

  public typealias ValueWithToken<Subscribable: RealmSubscribable, Parent> =
    WithToken<Value<Subscribable>, Parent>

  /// Publishes the changes of an object or a projection. It completes when the object is deleted.
  public struct ObjectChangeset<Observed: ThreadConfined>: _QueuedRealmPublisher {
    public typealias Output = ObjectChange<Observed>
    public typealias Failure = Never
    typealias Observe = (DispatchQueue?, @escaping (Output) -> Void) -> NotificationToken

    private let observe: Observe
    private let queue: DispatchQueue?

    init(queue: DispatchQueue? = nil, _ observe: @escaping Observe) {
      self.observe = observe
      self.queue = queue
    }

    public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
    where S.Input == Output, S.Failure == Never {
      observe(queue) { change in
        if case .deleted = change { return subscriber.receive(completion: .finished) }
        _ = subscriber.receive(change)
      }
    }

    public func _on(_ queue: DispatchQueue) -> ObjectChangeset { ObjectChangeset(queue: queue, observe) }
  }

  public typealias ObjectChangesetWithToken<Observed: ThreadConfined, Parent> =
    WithToken<ObjectChangeset<Observed>, Parent>

  /// Publishes the changes of a collection or of sections, the first time at the beginning.
  public struct Changeset<Collection: _ObservableCollection>: _QueuedRealmPublisher {
    public typealias Output = Collection._Change
    public typealias Failure = Never

    private let collection: Collection
    private let keyPaths: [String]?
    private let queue: DispatchQueue?

    init(_ collection: Collection, keyPaths: [String]? = nil, queue: DispatchQueue? = nil) {
      Misuse.require(collection.realm != nil, "Only managed collections can be published")
      self.collection = collection
      self.keyPaths = keyPaths
      self.queue = queue
    }

    public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken
    where S.Input == Output, S.Failure == Never {
      collection.observe(keyPaths: keyPaths, on: queue) { change in _ = subscriber.receive(change) }
    }

    public func _on(_ queue: DispatchQueue) -> Changeset {
      Changeset(collection, keyPaths: keyPaths, queue: queue)
    }
  }

  public typealias ChangesetWithToken<Collection: _ObservableCollection, Parent> =
    WithToken<Changeset<Collection>, Parent>
}

/// The names in the Realm Swift SDK.
extension RealmPublishers {
  public typealias CollectionChangeset<Collection: RealmCollection> = Changeset<Collection>
  public typealias MapChangeset<Collection: RealmKeyedCollection> = Changeset<Collection>
  public typealias SectionedResultsChangeset<Collection: RealmSectionedResult> = Changeset<Collection>
  public typealias SectionChangeset<Collection: RealmSectionedResult> = Changeset<Collection>
  public typealias CollectionChangesetWithToken<Collection: RealmCollection, Parent> =
    ChangesetWithToken<Collection, Parent>
  public typealias MapChangesetWithToken<Collection: RealmKeyedCollection, Parent> =
    ChangesetWithToken<Collection, Parent>
  public typealias SectionedResultsChangesetWithToken<Collection: RealmSectionedResult, Parent> =
    ChangesetWithToken<Collection, Parent>
  public typealias SectionChangesetWithToken<Collection: RealmSectionedResult, Parent> =
    ChangesetWithToken<Collection, Parent>
}
