// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Owns the handle of results, shared by all their copies.
final class ResultsBox {
  let pointer: OpaquePointer

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_results_release(pointer) }

  var count: Int {
    var count = 0
    trapOnFailure { flx_results_count(pointer, &count, $0) }
    return count
  }

  /// Returns a new handle of the object at an index.
  func object(at index: Int) -> OpaquePointer {
    Misuse.requireNotNegative(index)
    var object: OpaquePointer?
    if flx_results_get_object(pointer, index, &object, nil) == .FLX_STATUS_OK, let object { return object }
    // Once more, to learn why.
    return makeHandleOrTrap { flx_results_get_object(pointer, index, &$0, $1) }
  }

  /// Returns a new handle of the object at an index; nil if there are not as many objects.
  func objectIfAny(at index: Int) -> OpaquePointer? {
    var object: OpaquePointer?
    switch flx_results_get_object(pointer, index, &object, nil) {
    case .FLX_STATUS_OK: return object
    case .FLX_STATUS_INDEX_OUT_OF_BOUNDS: return nil
    default: return self.object(at: index)
    }
  }

  /// Whether the realm was not invalidated since.
  var isValid: Bool { flx_results_is_valid(pointer) }

  /// - Parameter realm: the realm of the results.
  func filtered(_ query: RenderedQuery, in realm: _RealmHandle) throws -> ResultsBox {
    try query.withFlex(realm) { text, arguments in
      ResultsBox(
        takingOver: try makeHandle {
          flx_results_filter(pointer, text, arguments.baseAddress, arguments.count, &$0, $1)
        }
      )
    }
  }

  var predicateText: String { String(flx_results_predicate(pointer)) }

  var explanation: String {
    var text = flx_string_t()
    trapOnFailure { flx_results_explain(pointer, &text, $0) }
    return String(text)
  }

  func sorted(by descriptors: [SortDescriptor]) -> ResultsBox {
    let arena = TextArena()
    let keys = descriptors.map { descriptor in
      var key = flx_sort_key_t()
      key.key_path = arena.text(descriptor.keyPath)
      key.is_ascending = descriptor.ascending
      return key
    }
    return withExtendedLifetime(arena) { derived { flx_results_sort(pointer, keys, keys.count, &$0, $1) } }
  }

  func distinct(by keyPaths: [String]) -> ResultsBox {
    let arena = TextArena()
    let paths = keyPaths.map { arena.text($0) }
    return withExtendedLifetime(arena) {
      derived { flx_results_distinct(pointer, paths, paths.count, &$0, $1) }
    }
  }

  func limited(to count: Int) -> ResultsBox { derived { flx_results_limit(pointer, count, &$0, $1) } }

  private func derived(_ make: HandleMaker) -> ResultsBox { ResultsBox(takingOver: makeHandleOrTrap(make)) }

  func aggregate(_ function: Aggregate, _ property: _PropertyKey) -> _Value {
    var value = flx_value_t()
    trapOnFailure { flx_results_aggregate(pointer, function.flex, property.flex, &value, $0) }
    return _Value(value)
  }

  func index(of object: _ManagedObject) -> Int? {
    var index = 0
    trapOnFailure { flx_results_index_of(pointer, object.pointer, &index, $0) }
    return index == Int(bitPattern: UInt.max) ? nil : index
  }

  /// - Parameter keyPaths: what counts as a modification, in the names of the schema; none for the default.
  func observe<Collection>(
    on realm: _RealmHandle,
    _ keyPaths: [String],
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmCollectionChange<Collection>) -> Void
  ) -> NotificationToken {
    NotificationToken.make(on: realm, keyPaths, pointer, flx_results_observe_key_paths, collection, block)
  }

  func deleteAll(_ realm: _RealmHandle) { realm.perform(.objects) { flx_results_delete_all(pointer, $0) } }

  /// Subscribes, and returns the error if the library refuses at once; then it does not call `completion`.
  func subscribe(
    _ name: String?,
    _ wait: WaitForSyncMode,
    _ milliseconds: UInt64,
    _ completion: @escaping Completion
  ) -> StatusError? {
    let box = CallbackBox<Completion>.retained(completion)
    return name.withFlexString { name in
      failure {
        flx_results_subscribe(
          pointer,
          name,
          wait.flex,
          milliseconds,
          callCompletion,
          box,
          freeCallbackBox,
          $0
        )
      }
    }
  }

  /// The version of the server as of which everything that the query matches is there; nil if something may be missing.
  var completeVersion: UInt64? {
    var isComplete = false
    var version: UInt64 = 0
    trapOnFailure { flx_results_get_completeness(pointer, &isComplete, &version, $0) }
    return isComplete ? version : nil
  }

  func unsubscribe() { trapOnFailure { flx_results_unsubscribe(pointer, $0) } }

  /// Unsubscribes, and returns the error if the library refuses at once; then it does not call `completion`.
  func unsubscribe(_ milliseconds: UInt64, _ completion: @escaping Completion) -> StatusError? {
    let box = CallbackBox<Completion>.retained(completion)
    return failure {
      flx_results_unsubscribe_and_wait(pointer, milliseconds, callCompletion, box, freeCallbackBox, $0)
    }
  }
}

extension WaitForSyncMode {
  fileprivate var flex: flx_wait_for_sync_t {
    switch self {
    case .onCreation: .FLX_WAIT_ON_CREATION
    case .always: .FLX_WAIT_ALWAYS
    case .never: .FLX_WAIT_NEVER
    }
  }
}

/// An aggregate of a property over all objects.
enum Aggregate {
  case min
  case max
  case sum
  case average

  fileprivate var flex: flx_aggregate_t {
    switch self {
    case .min: .FLX_AGGREGATE_MIN
    case .max: .FLX_AGGREGATE_MAX
    case .sum: .FLX_AGGREGATE_SUM
    case .average: .FLX_AGGREGATE_AVERAGE
    }
  }
}
