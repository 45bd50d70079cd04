// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
import Combine
#else
import FlexSync
import OpenCombine
#endif

extension _ObservableCollection
where Self: RealmSubscribable, _Change: _RealmChange, _Change._Observed == Self {
  /// Publishes after each change of the collection or its objects, and once at the beginning.
  public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

  /// Publishes the collection at the beginning and after each change.
  public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }

  /// Publishes the collection at the beginning and after each change.
  ///
  /// - Parameter keyPaths: what counts as a modification of an object; see `observe(keyPaths:on:_:)`.
  public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
    RealmPublishers.Value(self, keyPaths: keyPaths)
  }

  /// Publishes the changes of the collection, the first time at the beginning.
  public var changesetPublisher: RealmPublishers.Changeset<Self> { RealmPublishers.Changeset(self) }

  /// Publishes the changes of the collection, the first time at the beginning.
  ///
  /// - Parameter keyPaths: what counts as a modification of an object; see `observe(keyPaths:on:_:)`.
  public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.Changeset<Self> {
    RealmPublishers.Changeset(self, keyPaths: keyPaths)
  }
}

extension RealmCollection where Self: RealmSubscribable {
  @available(*, deprecated, renamed: "collectionPublisher")
  public var publisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }
}

extension RealmKeyedCollection where Self: RealmSubscribable {
  @available(*, deprecated, renamed: "collectionPublisher")
  public var publisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self) }
}

/// Publishes an object, a collection or a projection after each change; a collection also at the beginning.
///
/// - Parameter keyPaths: what counts as a change; nil for the default of `observe`.
public func valuePublisher<Subscribable: RealmSubscribable>(
  _ subscribable: Subscribable,
  keyPaths: [String]? = nil
) -> RealmPublishers.Value<Subscribable> {
  RealmPublishers.Value(subscribable, keyPaths: keyPaths)
}

/// Publishes the changes of an object until it is deleted.
///
/// - Parameter keyPaths: the properties to observe; nil for all of the object's own.
public func changesetPublisher<Observed: Object>(
  _ object: Observed,
  keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<Observed> {
  changesets(of: object) { queue, block in object.observe(keyPaths: keyPaths, on: queue, block) }
}

/// Publishes the changes of a projection until its object is deleted.
///
/// - Parameter keyPaths: the projected properties to observe; nil for all.
public func changesetPublisher<Observed: ProjectionObservable>(
  _ projection: Observed,
  keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<Observed> {
  changesets(of: projection) { queue, block in projection.observe(keyPaths: keyPaths, on: queue, block) }
}

/// Publishes the changes of a collection, the first time at the beginning.
///
/// - Parameter keyPaths: what counts as a modification of an object; nil for the default of `observe`.
public func changesetPublisher<Collection: RealmCollection>(
  _ collection: Collection,
  keyPaths: [String]? = nil
) -> RealmPublishers.CollectionChangeset<Collection> {
  RealmPublishers.Changeset(collection, keyPaths: keyPaths)
}

private func changesets<Observed: ThreadConfined>(
  of value: Observed,
  _ observe: @escaping RealmPublishers.ObjectChangeset<Observed>.Observe
) -> RealmPublishers.ObjectChangeset<Observed> {
  Misuse.require(value.realm != nil, "Only managed objects can be published")
  Misuse.require(!value.isInvalidated, "Object is invalidated or deleted")
  return RealmPublishers.ObjectChangeset(observe)
}
