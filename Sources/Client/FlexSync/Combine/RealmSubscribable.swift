// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Combine)
import Combine
#else
import FlexSync
import OpenCombine
#endif

/// A type that a publisher can observe: objects, collections, results, sections and projections.
public protocol RealmSubscribable: ThreadConfined {
  /// Observes this for a subscriber, which receives it after each change, until the token is invalidated or released.
  ///
  /// - Parameters:
  ///   - keyPaths: what counts as a change; nil for the default.
  ///   - queue: the serial queue on which to observe, in a realm of the queue; nil for the realm of this.
  func _observe<S: Subscriber>(_ keyPaths: [String]?, on queue: DispatchQueue?, _ subscriber: S)
    -> NotificationToken where S.Input == Self

  /// Observes this for a subscriber that is only told of each change.
  func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken where S.Input == Void
}

extension Subscriber {
  /// Receives what has changed, or the end once it was deleted.
  fileprivate func receive<Change: _RealmChange>(valueOf change: Change) where Change._Observed == Input {
    guard let parts = change._parts else { return receive(completion: .finished) }
    _ = receive(parts.observed)
  }
}

extension _ObservableCollection where _Change: _RealmChange, _Change._Observed == Self {
  public func _observe<S: Subscriber>(_ keyPaths: [String]?, on queue: DispatchQueue?, _ subscriber: S)
    -> NotificationToken where S.Input == Self
  {
    observe(keyPaths: keyPaths, on: queue) { subscriber.receive(valueOf: $0) }
  }

  public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken where S.Input == Void {
    observe { _ in _ = subscriber.receive() }
  }
}

extension ObjectBase: RealmSubscribable {
  public func _observe<S: Subscriber>(_ keyPaths: [String]?, on queue: DispatchQueue?, _ subscriber: S)
    -> NotificationToken where S.Input: ObjectBase
  {
    observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<S.Input>) in
      subscriber.receive(valueOf: change)
    }
  }

  public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken where S.Input == Void {
    observe { (_: ObjectChange<ObjectBase>) in _ = subscriber.receive() }
  }
}

extension ProjectionObservable {
  public func _observe<S: Subscriber>(_ keyPaths: [String]?, on queue: DispatchQueue?, _ subscriber: S)
    -> NotificationToken where S.Input == Self
  {
    observe(keyPaths: keyPaths, on: queue) { subscriber.receive(valueOf: $0) }
  }

  public func _observe<S: Subscriber>(_ subscriber: S) -> NotificationToken where S.Input == Void {
    observe { _ in _ = subscriber.receive() }
  }
}

extension Results: RealmSubscribable {}
extension LinkingObjects: RealmSubscribable {}
extension AnyRealmCollection: RealmSubscribable {}
extension SectionedResults: RealmSubscribable {}
extension ResultsSection: RealmSubscribable {}

// MARK: - What a view can observe

extension Object: ObservableObject {
  /// Publishes after each change of the object, in spite of the name.
  public var objectWillChange: RealmPublishers.WillChange<Object> { RealmPublishers.WillChange(self) }
}

extension EmbeddedObject: ObservableObject {
  /// Publishes after each change of the object, in spite of the name.
  public var objectWillChange: RealmPublishers.WillChange<EmbeddedObject> { RealmPublishers.WillChange(self) }
}

extension Projection: ObservableObject, RealmSubscribable {
  /// Publishes after each change of a projected property, in spite of the name.
  public var objectWillChange: RealmPublishers.WillChange<Projection> { RealmPublishers.WillChange(self) }
}

extension List: ObservableObject, RealmSubscribable {
  /// Publishes after each change of the list or its objects, in spite of the name.
  public var objectWillChange: RealmPublishers.WillChange<List> { RealmPublishers.WillChange(self) }
}

extension MutableSet: ObservableObject, RealmSubscribable {
  /// Publishes after each change of the set or its objects, in spite of the name.
  public var objectWillChange: RealmPublishers.WillChange<MutableSet> { RealmPublishers.WillChange(self) }
}

extension Map: ObservableObject, RealmSubscribable {
  /// Publishes after each change of the map or its objects, in spite of the name.
  public var objectWillChange: RealmPublishers.WillChange<Map> { RealmPublishers.WillChange(self) }
}
