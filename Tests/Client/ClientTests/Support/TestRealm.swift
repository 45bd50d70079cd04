// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

/// A realm opened through the C functions, with a thin layer of Swift to keep tests readable.
final class TestRealm {
  let handle: OpaquePointer
  private var isReleased = false

  init(
    path: String = "",
    memory: String = "",
    classes: [TestClass] = .tasks,
    configure: (inout flx_realm_config_t) -> Void = { _ in }
  ) throws {
    var realm: OpaquePointer?
    try path.withC { path in
      try memory.withC { memory in
        try classes.withC { classes in
          var config = flx_realm_config_t()
          config.struct_size = MemoryLayout<flx_realm_config_t>.size
          config.path = path
          config.in_memory_name = memory
          config.classes = classes.baseAddress
          config.class_count = classes.count
          configure(&config)
          try attempt { flx_realm_open(&config, &realm, $0) }
        }
      }
    }
    handle = try #require(realm)
  }

  /// Takes over a handle.
  init(owning handle: OpaquePointer) { self.handle = handle }

  /// A handle that somebody else keeps.
  init(borrowing handle: OpaquePointer) {
    self.handle = handle
    isReleased = true
  }

  deinit { release() }

  func release() {
    guard !isReleased else { return }
    isReleased = true
    flx_realm_release(handle)
  }

  // MARK: Transactions

  func beginWrite() throws { try attempt { flx_realm_begin_write(handle, $0) } }
  func commit() throws { try attempt { flx_realm_commit_write(handle, $0) } }
  func cancel() throws { try attempt { flx_realm_cancel_write(handle, $0) } }

  @discardableResult
  func write<Result>(_ body: () throws -> Result) throws -> Result {
    try beginWrite()
    let result = try body()
    try commit()
    return result
  }

  @discardableResult
  func refresh() throws -> Bool {
    var hasChanged = false
    try attempt { flx_realm_refresh(handle, &hasChanged, $0) }
    return hasChanged
  }

  // MARK: Schema

  func classKey(_ name: String) throws -> flx_class_key_t {
    var info = flx_class_info_t()
    try name.withC { name in try attempt { flx_realm_find_class(handle, name, &info, $0) } }
    return info.key
  }

  func property(_ className: String, _ name: String) throws -> flx_property_info_t {
    let key = try classKey(className)
    var info = flx_property_info_t()
    try name.withC { name in try attempt { flx_realm_find_property(handle, key, name, &info, $0) } }
    return info
  }

  // MARK: Objects

  @discardableResult
  func create(_ className: String, _ key: Cell, _ values: [String: Cell] = [:]) throws -> TestObject {
    let classKey = try classKey(className)
    var object: OpaquePointer?
    try key.withC { key in
      var key = key
      try attempt { flx_object_create(handle, classKey, &key, &object, $0) }
    }
    let result = TestObject(self, className, try #require(object))
    for (name, value) in values { try result.set(name, value) }
    return result
  }

  func find(_ className: String, _ key: Cell) throws -> TestObject? {
    let classKey = try classKey(className)
    var object: OpaquePointer?
    try key.withC { key in
      var key = key
      try attempt { flx_object_find(handle, classKey, &key, &object, $0) }
    }
    return object.map { TestObject(self, className, $0) }
  }

  func linked(_ cell: Cell, _ className: String) throws -> TestObject? {
    guard case .link(let row, let classKey) = cell else { return nil }
    var object: OpaquePointer?
    try attempt { flx_object_get_linked(handle, flx_link_t(row: row, target_class: classKey), &object, $0) }
    return object.map { TestObject(self, className, $0) }
  }
}

/// An object handle.
final class TestObject {
  let realm: TestRealm
  let className: String
  let handle: OpaquePointer

  init(_ realm: TestRealm, _ className: String, _ handle: OpaquePointer) {
    self.realm = realm
    self.className = className
    self.handle = handle
  }

  deinit { flx_object_release(handle) }

  var isValid: Bool { flx_object_is_valid(handle) }
  var link: Cell {
    let link = flx_object_link(handle)
    return .link(row: link.row, link.target_class)
  }

  func get(_ name: String) throws -> Cell {
    let key = try realm.property(className, name).key
    var value = flx_value_t()
    try attempt { flx_object_get(handle, key, &value, $0) }
    return Cell(value)
  }

  func set(_ name: String, _ cell: Cell) throws {
    let key = try realm.property(className, name).key
    try cell.withC { value in
      var value = value
      try attempt { flx_object_set(handle, key, &value, $0) }
    }
  }

  func add(_ delta: Int64, to name: String) throws {
    let key = try realm.property(className, name).key
    try attempt { flx_object_add_integer(handle, key, delta, $0) }
  }

  func delete() throws { try attempt { flx_object_delete(handle, $0) } }

  func list(_ name: String) throws -> TestList {
    let key = try realm.property(className, name).key
    var list: OpaquePointer?
    try attempt { flx_object_get_list(handle, key, &list, $0) }
    return TestList(try #require(list))
  }
}

/// A list handle.
final class TestList {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flx_list_release(handle) }

  var count: Int {
    get throws {
      var count = 0
      try attempt { flx_list_count(handle, &count, $0) }
      return count
    }
  }

  var cells: [Cell] {
    get throws { try (0..<(try count)).map { try get($0) } }
  }

  func get(_ index: Int) throws -> Cell {
    var value = flx_value_t()
    try attempt { flx_list_get(handle, index, &value, $0) }
    return Cell(value)
  }

  func set(_ index: Int, _ cell: Cell) throws {
    try cell.withC { value in
      var value = value
      try attempt { flx_list_set(handle, index, &value, $0) }
    }
  }

  func insert(_ cell: Cell, at index: Int) throws {
    try cell.withC { value in
      var value = value
      try attempt { flx_list_insert(handle, index, &value, $0) }
    }
  }

  func append(_ cell: Cell) throws { try insert(cell, at: try count) }
  func erase(_ index: Int) throws { try attempt { flx_list_erase(handle, index, $0) } }
  func move(_ from: Int, _ to: Int) throws { try attempt { flx_list_move(handle, from, to, $0) } }
  func clear() throws { try attempt { flx_list_clear(handle, $0) } }
}
