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

/// The objects of a class, or projections of them, in sections, which a view shows and follows. The view gets them frozen.
///
/// ```swift
/// @ObservedSectionedResults(Task.self, sectionKeyPath: \.assignee) var tasksByAssignee
/// ```
@MainActor
@propertyWrapper
public struct ObservedSectionedResults<Key: _Persistable & Hashable, ResultType>: DynamicProperty,
  BoundCollection
where ResultType: _ObservedResultsValue & RealmFetchable & KeypathSortable & Identifiable {
  public typealias Element = ResultType

  @Environment(\.realmConfiguration) private var configuration
  @ObservedObject private var storage: ShownResults<ResultType>
  private let key: (ResultType) -> Key

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

  /// The order of the objects, and thereby of the sections.
  public var sortDescriptors: [SortDescriptor] {
    get { storage.sortDescriptors }
    nonmutating set { storage.sortDescriptors = newValue }
  }

  /// The sections as they are now.
  public var wrappedValue: SectionedResults<Key, ResultType> {
    storage.live.freeze().sectioned(by: key, sortDescriptors: sortDescriptors)
  }

  public var projectedValue: ObservedSectionedResults { self }

  public func _search<Searched: ObjectBase>(_ text: String, in keyPath: KeyPath<Searched, String>) {
    storage.find(text, in: keyPath)
  }

  /// Deletes objects of a section at offsets, as `onDelete` of a view gives them.
  public func remove(atOffsets offsets: IndexSet, section: ResultsSection<Key, ResultType>)
  where ResultType: ObjectBase & ThreadConfined {
    let objects = offsets.compactMap { section[$0].thaw() }
    change(storage.live) { $0.realm?.delete(objects) }
  }

  /// Shows objects in sections with the same value of a property, in the order of the values unless `sortDescriptors` say
  /// another.
  public init(
    _ type: ResultType.Type,
    sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [SortDescriptor] = [],
    filter: String? = nil,
    keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) {
    let own = SortDescriptor(keyPath: ResultType._path(of: sectionKeyPath))
    let descriptors = sortDescriptors.isEmpty ? [own] : sortDescriptors
    self.init({ $0[keyPath: sectionKeyPath] }, descriptors, keyPaths, configuration)
    storage.filter = filter
  }

  /// Shows the objects that satisfy a condition in sections with the same value of a property.
  public init(
    _ type: ResultType.Type,
    sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [SortDescriptor] = [],
    where condition: ((Query<ResultType>) -> Query<Bool>)?,
    keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) where ResultType: Object {
    self.init(
      type,
      sectionKeyPath: sectionKeyPath,
      sortDescriptors: sortDescriptors,
      keyPaths: keyPaths,
      configuration: configuration
    )
    storage.isIncluded = condition
  }

  /// Shows objects in sections for which a block returns the same.
  public init(
    _ type: ResultType.Type,
    sectionBlock: @escaping (ResultType) -> Key,
    sortDescriptors: [SortDescriptor],
    filter: String? = nil,
    keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) {
    self.init(sectionBlock, sortDescriptors, keyPaths, configuration)
    storage.filter = filter
  }

  /// Shows the objects that satisfy a condition in sections for which a block returns the same.
  public init(
    _ type: ResultType.Type,
    sectionBlock: @escaping (ResultType) -> Key,
    sortDescriptors: [SortDescriptor],
    where condition: ((Query<ResultType>) -> Query<Bool>)?,
    keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) where ResultType: Object {
    self.init(sectionBlock, sortDescriptors, keyPaths, configuration)
    storage.isIncluded = condition
  }

  private init(
    _ key: @escaping (ResultType) -> Key,
    _ sortDescriptors: [SortDescriptor],
    _ keyPaths: [String]?,
    _ configuration: Realm.Configuration?
  ) {
    Misuse.require(
      !sortDescriptors.isEmpty,
      "sortDescriptors must not be empty when sectioning ObservedSectionedResults with `sectionBlock`"
    )
    let results = ShownResults<ResultType>(keyPaths: keyPaths, configuration: configuration)
    results.sortDescriptors = sortDescriptors
    _storage = ObservedObject(wrappedValue: results)
    self.key = key
  }

  public nonisolated func update() { MainActor.assumeIsolated { storage.adopt(configuration) } }
}
