// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import struct FlexSync.SortDescriptor
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// A type that `@ObservedResults` can show: objects and projections of them.
public protocol _ObservedResultsValue: RealmCollectionValue {}

extension Object: _ObservedResultsValue {}
extension Projection: _ObservedResultsValue {}

/// The objects of a class, or projections of them, that a view shows and follows. The view gets them frozen.
///
/// ```swift
/// @ObservedResults(Task.self, where: { !$0.completed }, sortDescriptor: SortDescriptor(keyPath: "taskName"))
/// var tasks
/// ```
///
/// `$tasks.append(_:)`, `$tasks.remove(_:)` and `$tasks.remove(atOffsets:)` write to the realm.
@MainActor
@propertyWrapper
public struct ObservedResults<ResultType>: DynamicProperty, BoundCollection, SearchableResults
where ResultType: _ObservedResultsValue & RealmFetchable & KeypathSortable & Identifiable {
  public typealias Element = ResultType

  @Environment(\.realmConfiguration) private var configuration
  @ObservedObject private var storage: ShownResults<ResultType>

  /// A query in Realm Query Language that the objects satisfy. It replaces `where`.
  public var filter: String? {
    get { storage.filter }
    nonmutating set { storage.filter = newValue }
  }

  /// A condition that the objects satisfy. It replaces `filter`.
  public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
    get { storage.isIncluded }
    nonmutating set { storage.isIncluded = newValue }
  }

  /// The order of the objects.
  public var sortDescriptor: SortDescriptor? {
    get { storage.sortDescriptors.first }
    nonmutating set { storage.sortDescriptors = newValue.map { [$0] } ?? [] }
  }

  /// The objects as they are now.
  public var wrappedValue: Results<ResultType> { storage.live.freeze() }

  public func _search<Searched: ObjectBase>(_ text: String, in keyPath: KeyPath<Searched, String>) {
    storage.find(text, in: keyPath)
  }

  public var projectedValue: ObservedResults { self }

  /// Shows the objects that satisfy a query.
  ///
  /// - Parameters:
  ///   - configuration: the configuration of the realm; nil for `realmConfiguration` of the environment.
  ///   - filter: a query in Realm Query Language; nil for all objects.
  ///   - keyPaths: what counts as a modification of an object; nil for all of its properties.
  public init(
    _ type: ResultType.Type,
    configuration: Realm.Configuration? = nil,
    filter: String? = nil,
    keyPaths: [String]? = nil,
    sortDescriptor: SortDescriptor? = nil
  ) {
    self.init(keyPaths, configuration, sortDescriptor)
    storage.filter = filter
  }

  /// Shows the objects that satisfy a condition.
  public init(
    _ type: ResultType.Type,
    configuration: Realm.Configuration? = nil,
    where condition: ((Query<ResultType>) -> Query<Bool>)?,
    keyPaths: [String]? = nil,
    sortDescriptor: SortDescriptor? = nil
  ) where ResultType: Object {
    self.init(keyPaths, configuration, sortDescriptor)
    storage.isIncluded = condition
  }

  private init(
    _ keyPaths: [String]?,
    _ configuration: Realm.Configuration?,
    _ sortDescriptor: SortDescriptor?
  ) {
    let results = ShownResults<ResultType>(keyPaths: keyPaths, configuration: configuration)
    results.sortDescriptors = sortDescriptor.map { [$0] } ?? []
    _storage = ObservedObject(wrappedValue: results)
  }

  public nonisolated func update() { MainActor.assumeIsolated { storage.adopt(configuration) } }
}
