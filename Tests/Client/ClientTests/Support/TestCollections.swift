// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

extension [TestClass] {
  /// Boxes with a set and a dictionary each of texts, numbers and links to other boxes.
  static let boxes: [TestClass] = [
    TestClass(
      name: "Box",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(
          name: "labels",
          type: .FLX_TYPE_STRING,
          collection: .FLX_COLLECTION_SET,
          isNullable: true
        ),
        TestProperty(name: "sizes", type: .FLX_TYPE_DOUBLE, collection: .FLX_COLLECTION_SET),
        TestProperty(name: "inside", type: .FLX_TYPE_LINK, collection: .FLX_COLLECTION_SET, target: "Box"),
        TestProperty(name: "counts", type: .FLX_TYPE_INT, collection: .FLX_COLLECTION_DICTIONARY),
        TestProperty(
          name: "notes",
          type: .FLX_TYPE_STRING,
          collection: .FLX_COLLECTION_DICTIONARY,
          isNullable: true
        ),
        TestProperty(
          name: "beside",
          type: .FLX_TYPE_LINK,
          collection: .FLX_COLLECTION_DICTIONARY,
          target: "Box"
        ),
      ]
    )
  ]
}

extension TestObject {
  func set(of name: String) throws -> TestValueSet {
    let key = try realm.property(className, name).key
    var set: OpaquePointer?
    try attempt { flx_object_get_set(handle, key, &set, $0) }
    return TestValueSet(try #require(set))
  }

  func dictionary(_ name: String) throws -> TestDictionary {
    let key = try realm.property(className, name).key
    var dictionary: OpaquePointer?
    try attempt { flx_object_get_dictionary(handle, key, &dictionary, $0) }
    return TestDictionary(try #require(dictionary))
  }
}

/// A set handle.
final class TestValueSet {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flx_set_release(handle) }

  var count: Int {
    get throws {
      var count = 0
      try attempt { flx_set_count(handle, &count, $0) }
      return count
    }
  }

  var cells: [Cell] {
    get throws { try (0..<(try count)).map { try get($0) } }
  }

  func get(_ index: Int) throws -> Cell {
    var value = flx_value_t()
    try attempt { flx_set_get(handle, index, &value, $0) }
    return Cell(value)
  }

  /// Nil if the set does not have the value.
  func find(_ cell: Cell) throws -> Int? {
    var index = 0
    try cell.withC { value in
      var value = value
      try attempt { flx_set_find(handle, &value, &index, $0) }
    }
    return index == -1 ? nil : index
  }

  @discardableResult
  func insert(_ cell: Cell) throws -> Bool {
    var isNew = false
    try cell.withC { value in
      var value = value
      try attempt { flx_set_insert(handle, &value, &isNew, $0) }
    }
    return isNew
  }

  @discardableResult
  func erase(_ cell: Cell) throws -> Bool {
    var wasThere = false
    try cell.withC { value in
      var value = value
      try attempt { flx_set_erase(handle, &value, &wasThere, $0) }
    }
    return wasThere
  }

  func clear() throws { try attempt { flx_set_clear(handle, $0) } }
}

/// A dictionary handle.
final class TestDictionary {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { flx_dictionary_release(handle) }

  var count: Int {
    get throws {
      var count = 0
      try attempt { flx_dictionary_count(handle, &count, $0) }
      return count
    }
  }

  /// Keys and values as texts, in their order.
  var entries: [String] {
    get throws {
      try (0..<(try count)).map { index in
        var key = flx_string_t()
        var value = flx_value_t()
        try attempt { flx_dictionary_get_at(handle, index, &key, &value, $0) }
        return "\(key.text)=\(Cell(value))"
      }
    }
  }

  /// Nil if there is no such entry.
  func get(_ key: String) throws -> Cell? {
    var value = flx_value_t()
    var isThere = false
    try key.withC { key in try attempt { flx_dictionary_get(handle, key, &value, &isThere, $0) } }
    return isThere ? Cell(value) : nil
  }

  func set(_ key: String, _ cell: Cell) throws {
    try key.withC { key in
      try cell.withC { value in
        var value = value
        try attempt { flx_dictionary_set(handle, key, &value, $0) }
      }
    }
  }

  @discardableResult
  func erase(_ key: String) throws -> Bool {
    var wasThere = false
    try key.withC { key in try attempt { flx_dictionary_erase(handle, key, &wasThere, $0) } }
    return wasThere
  }

  func clear() throws { try attempt { flx_dictionary_clear(handle, $0) } }
}
