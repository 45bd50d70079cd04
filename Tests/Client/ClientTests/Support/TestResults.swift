// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

/// A results handle.
final class TestResults {
  let realm: TestRealm
  let className: String
  let handle: OpaquePointer

  init(_ realm: TestRealm, _ className: String, _ handle: OpaquePointer) {
    self.realm = realm
    self.className = className
    self.handle = handle
  }

  deinit { flx_results_release(handle) }

  var predicate: String { flx_results_predicate(handle).text }

  var count: Int {
    get throws {
      var count = 0
      try attempt { flx_results_count(handle, &count, $0) }
      return count
    }
  }

  /// The values of a property, in order.
  func values(_ name: String) throws -> [Cell] {
    try (0..<(try count)).map { try object(at: $0).get(name) }
  }

  func object(at index: Int) throws -> TestObject {
    var object: OpaquePointer?
    try attempt { flx_results_get_object(handle, index, &object, $0) }
    return TestObject(realm, className, try #require(object))
  }

  func index(of object: TestObject) throws -> Int? {
    var index = 0
    try attempt { flx_results_index_of(handle, object.handle, &index, $0) }
    return index == -1 ? nil : index
  }

  func filter(_ query: String, _ arguments: [Cell] = []) throws -> TestResults {
    var result: OpaquePointer?
    try withQueryArguments(arguments) { arguments in
      try query.withC { query in
        try attempt {
          flx_results_filter(handle, query, arguments.baseAddress, arguments.count, &result, $0)
        }
      }
    }
    return TestResults(realm, className, try #require(result))
  }

  func sort(_ path: String, ascending: Bool = true) throws -> TestResults {
    var result: OpaquePointer?
    try path.withC { path in
      var key = flx_sort_key_t(key_path: path, is_ascending: ascending)
      try attempt { flx_results_sort(handle, &key, 1, &result, $0) }
    }
    return TestResults(realm, className, try #require(result))
  }

  func deleteAll() throws { try attempt { flx_results_delete_all(handle, $0) } }

}

/// Lends arguments of a query to C.
func withQueryArguments(
  _ cells: [Cell],
  _ values: [flx_value_t] = [],
  _ body: (UnsafeBufferPointer<flx_query_argument_t>) throws -> Void
) throws {
  if let cell = cells.first {
    return try cell.withC { try withQueryArguments(Array(cells.dropFirst()), values + [$0], body) }
  }
  try values.withUnsafeBufferPointer { values in
    let arguments = values.indices.map { index in
      flx_query_argument_t(values: values.baseAddress?.advanced(by: index), count: 1, is_list: false)
    }
    try arguments.withUnsafeBufferPointer(body)
  }
}

extension TestRealm {
  func objects(_ className: String) throws -> TestResults {
    let key = try classKey(className)
    var results: OpaquePointer?
    try attempt { flx_results_create(handle, key, &results, $0) }
    return TestResults(self, className, try #require(results))
  }
}

/// What an observer was told.
struct Change: Equatable {
  var isInitial = false
  var deletions: [Int] = []
  var insertions: [Int] = []
  var modifications: [Int] = []
}

/// Collects what an observer is told, until it is released.
final class Observation<Report> {
  /// What the callback writes to, kept alive by the userdata.
  final class Reports {
    var reports: [Report] = []
    var wasFreed: (() -> Void)?

    deinit { wasFreed?() }
  }

  let store = Reports()
  private(set) var token: OpaquePointer?

  var reports: [Report] { store.reports }

  init(_ start: (UnsafeMutableRawPointer, inout OpaquePointer?) throws -> Void) throws {
    try start(Unmanaged.passRetained(store).toOpaque(), &token)
  }

  deinit { release() }

  func release() {
    flx_notification_token_release(token)
    token = nil
  }

  /// The reports since the last call.
  func take() -> [Report] {
    defer { store.reports = [] }
    return store.reports
  }
}

/// The C function that goes with an `Observation<Change>`.
let recordChange: flx_collection_observer_t = { userdata, changes in
  let changes = changes.pointee
  let change = Change(
    isInitial: changes.is_initial,
    deletions: Array(UnsafeBufferPointer(start: changes.deletions, count: changes.deletion_count)),
    insertions: Array(UnsafeBufferPointer(start: changes.insertions, count: changes.insertion_count)),
    modifications: Array(UnsafeBufferPointer(start: changes.modifications, count: changes.modification_count))
  )
  Unmanaged<Observation<Change>.Reports>.fromOpaque(userdata!).takeUnretainedValue().reports.append(change)
}

extension TestResults {
  func observe() throws -> Observation<Change> {
    try Observation { userdata, token in
      try attempt {
        flx_results_observe(
          handle,
          recordChange,
          userdata,
          { Unmanaged<Observation<Change>.Reports>.fromOpaque($0!).release() },
          &token,
          $0
        )
      }
    }
  }
}

/// What the observer of an object was told: the names of properties, or nil for its deletion.
typealias ObjectChange = [flx_property_key_t]?

extension TestObject {
  func observe() throws -> Observation<ObjectChange> {
    try Observation { userdata, token in
      try attempt {
        flx_object_observe(
          handle,
          { userdata, changes in
            let changes = changes.pointee
            let keys = Array(UnsafeBufferPointer(start: changes.properties, count: changes.property_count))
            Unmanaged<Observation<ObjectChange>.Reports>.fromOpaque(userdata!).takeUnretainedValue().reports
              .append(changes.is_deleted ? nil : keys)
          },
          userdata,
          { Unmanaged<Observation<ObjectChange>.Reports>.fromOpaque($0!).release() },
          &token,
          $0
        )
      }
    }
  }
}

extension TestRealm {
  func observe() throws -> Observation<Void> {
    try Observation { userdata, token in
      try attempt {
        flx_realm_observe(
          handle,
          { userdata, _ in
            Unmanaged<Observation<Void>.Reports>.fromOpaque(userdata!).takeUnretainedValue().reports.append(
              ()
            )
          },
          userdata,
          { Unmanaged<Observation<Void>.Reports>.fromOpaque($0!).release() },
          &token,
          $0
        )
      }
    }
  }
}
