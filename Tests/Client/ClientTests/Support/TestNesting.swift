// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

extension [TestClass] {
  /// Notes with decimals and with what can hold anything.
  static let notes: [TestClass] = [
    TestClass(
      name: "Note",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(name: "price", type: .FLX_TYPE_DECIMAL),
        TestProperty(name: "discount", type: .FLX_TYPE_DECIMAL, isNullable: true),
        TestProperty(name: "prices", type: .FLX_TYPE_DECIMAL, collection: .FLX_COLLECTION_LIST),
        TestProperty(name: "any", type: .FLX_TYPE_MIXED),
        TestProperty(name: "anything", type: .FLX_TYPE_MIXED, collection: .FLX_COLLECTION_LIST),
        TestProperty(name: "byName", type: .FLX_TYPE_MIXED, collection: .FLX_COLLECTION_DICTIONARY),
      ]
    )
  ]
}

/// A place of type mixed, for which the functions differ by what holds it.
enum Place {
  case property(TestObject, String)
  case element(TestList, Int)
  case entry(OpaquePointer, String)

  func list() throws -> TestList {
    var list: OpaquePointer?
    switch self {
    case .property(let object, let name): return try object.list(name)
    case .element(let owner, let index):
      try attempt { flx_list_get_list(owner.handle, index, &list, $0) }
    case .entry(let owner, let key):
      try key.withC { key in try attempt { flx_dictionary_get_list(owner, key, &list, $0) } }
    }
    return TestList(try #require(list))
  }

  /// The handle of a dictionary, to be released.
  func dictionary() throws -> OpaquePointer {
    var dictionary: OpaquePointer?
    switch self {
    case .property(let object, let name):
      let key = try object.realm.property(object.className, name).key
      try attempt { flx_object_get_dictionary(object.handle, key, &dictionary, $0) }
    case .element(let owner, let index):
      try attempt { flx_list_get_dictionary(owner.handle, index, &dictionary, $0) }
    case .entry(let owner, let key):
      try key.withC { key in try attempt { flx_dictionary_get_dictionary(owner, key, &dictionary, $0) } }
    }
    return try #require(dictionary)
  }

  func setList() throws {
    switch self {
    case .property(let object, let name):
      let key = try object.realm.property(object.className, name).key
      try attempt { flx_object_set_list(object.handle, key, $0) }
    case .element(let owner, let index): try attempt { flx_list_set_list(owner.handle, index, $0) }
    case .entry(let owner, let key):
      try key.withC { key in try attempt { flx_dictionary_set_list(owner, key, $0) } }
    }
  }

  func setDictionary() throws {
    switch self {
    case .property(let object, let name):
      let key = try object.realm.property(object.className, name).key
      try attempt { flx_object_set_dictionary(object.handle, key, $0) }
    case .element(let owner, let index): try attempt { flx_list_set_dictionary(owner.handle, index, $0) }
    case .entry(let owner, let key):
      try key.withC { key in try attempt { flx_dictionary_set_dictionary(owner, key, $0) } }
    }
  }
}

extension TestList {
  func insertList(at index: Int) throws { try attempt { flx_list_insert_list(handle, index, $0) } }
  func insertDictionary(at index: Int) throws {
    try attempt { flx_list_insert_dictionary(handle, index, $0) }
  }
}

/// What the functions of dictionaries do with a handle.
enum Entries {
  static func set(_ dictionary: OpaquePointer, _ key: String, _ cell: Cell) throws {
    try key.withC { key in
      try cell.withC { value in
        var value = value
        try attempt { flx_dictionary_set(dictionary, key, &value, $0) }
      }
    }
  }

  static func erase(_ dictionary: OpaquePointer, _ key: String) throws {
    try key.withC { key in try attempt { flx_dictionary_erase(dictionary, key, nil, $0) } }
  }

  static func all(_ dictionary: OpaquePointer) throws -> [String] {
    var count = 0
    try attempt { flx_dictionary_count(dictionary, &count, $0) }
    return try (0..<count).map { index in
      var key = flx_string_t()
      var value = flx_value_t()
      try attempt { flx_dictionary_get_at(dictionary, index, &key, &value, $0) }
      return "\(key.text)=\(Cell(value))"
    }
  }
}
