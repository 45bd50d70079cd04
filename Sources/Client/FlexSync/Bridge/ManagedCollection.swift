// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A list, set or map in a realm: the handle behind a collection of the program.
struct ManagedCollection {
  let kind: CollectionKind
  /// Owned by the collection of the program.
  let pointer: OpaquePointer
  let realm: _RealmHandle
  /// The property that has the collection; nil if that is not known.
  var place: CollectionPlace?

  var count: Int {
    var count = 0
    trapOnFailure { readCount(&count, $0) }
    return count
  }

  /// Whether the object that has the collection was deleted.
  var isInvalidated: Bool {
    var count = 0
    return readCount(&count, nil) != .FLX_STATUS_OK
  }

  private func readCount(_ count: inout Int, _ error: UnsafeMutablePointer<flx_error_t>?) -> flx_status_t {
    switch kind {
    case .list: flx_list_count(pointer, &count, error)
    case .set: flx_set_count(pointer, &count, error)
    case .dictionary: flx_dictionary_count(pointer, &count, error)
    }
  }

  func removeAll() {
    realm.perform(.collection(kind)) { error in
      switch kind {
      case .list: flx_list_clear(pointer, error)
      case .set: flx_set_clear(pointer, error)
      case .dictionary: flx_dictionary_clear(pointer, error)
      }
    }
  }

  func release() {
    switch kind {
    case .list: flx_list_release(pointer)
    case .set: flx_set_release(pointer)
    case .dictionary: flx_dictionary_release(pointer)
    }
  }

  /// Observes the elements of a list or set.
  ///
  /// - Parameter keyPaths: what counts as a modification, in the names of the schema; none for the default.
  func observe<Collection>(
    _ keyPaths: [String],
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmCollectionChange<Collection>) -> Void
  ) -> NotificationToken {
    let observe = kind == .list ? flx_list_observe_key_paths : flx_set_observe_key_paths
    return NotificationToken.make(on: realm, keyPaths, pointer, observe, collection, block)
  }

  /// The objects as live results; those of a dictionary without the entries that have none.
  func results<Element: RealmCollectionValue>() -> Results<Element> { Results(resultsBox(), realm) }

  func resultsBox() -> ResultsBox {
    let results = makeHandleOrTrap { results, error in
      switch kind {
      case .list: flx_list_get_results(pointer, &results, error)
      case .set: flx_set_get_results(pointer, &results, error)
      case .dictionary: flx_dictionary_get_results(pointer, &results, error)
      }
    }
    return ResultsBox(takingOver: results)
  }
}

/// The property of an object that has a collection, or the mixed value in it that is one.
struct CollectionPlace: Equatable {
  /// The element of a mixed collection that is a collection.
  enum Step: Equatable {
    case index(Int)
    case key(String)
  }

  private final class Nesting: Sendable {
    let outer: Nesting?
    let step: Step

    init(_ outer: Nesting?, _ step: Step) {
      self.outer = outer
      self.step = step
    }

    static func areEqual(_ left: Nesting?, _ right: Nesting?) -> Bool {
      guard let left, let right else { return left == nil && right == nil }
      return left.step == right.step && areEqual(left.outer, right.outer)
    }
  }

  private let owner: flx_link_t
  private let property: flx_property_key_t
  private var nesting: Nesting?

  init(_ object: _ManagedObject, _ property: flx_property_key_t) {
    owner = object.link
    self.property = property
  }

  /// The place of an element of the collection.
  func element(_ step: Step) -> CollectionPlace {
    var place = self
    place.nesting = Nesting(nesting, step)
    return place
  }

  static func == (left: CollectionPlace, right: CollectionPlace) -> Bool {
    left.owner.row == right.owner.row && left.owner.target_class == right.owner.target_class
      && left.property == right.property && Nesting.areEqual(left.nesting, right.nesting)
  }
}

/// The kinds of collections, each of which has C functions of its own.
enum CollectionKind {
  case list
  case set
  case dictionary

  var flex: flx_collection_t {
    switch self {
    case .list: .FLX_COLLECTION_LIST
    case .set: .FLX_COLLECTION_SET
    case .dictionary: .FLX_COLLECTION_DICTIONARY
    }
  }

  /// The name in messages, which is that of the SDK.
  var name: String {
    switch self {
    case .list: "RLMArray"
    case .set: "RLMSet"
    case .dictionary: "RLMDictionary"
    }
  }

  /// Opens the collection in a property of an object.
  func open(_ object: _ManagedObject, _ property: _PropertyKey) -> ManagedCollection {
    let pointer = makeHandleOrTrap { pointer, error in
      switch self {
      case .list: flx_object_get_list(object.pointer, property.flex, &pointer, error)
      case .set: flx_object_get_set(object.pointer, property.flex, &pointer, error)
      case .dictionary: flx_object_get_dictionary(object.pointer, property.flex, &pointer, error)
      }
    }
    return ManagedCollection(
      kind: self,
      pointer: pointer,
      realm: object.realm,
      place: CollectionPlace(object, property.flex)
    )
  }
}
