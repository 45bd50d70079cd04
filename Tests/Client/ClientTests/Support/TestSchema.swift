// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A property as tests declare it.
struct TestProperty {
  var name: String
  var type: flx_type_t
  var collection = flx_collection_t.FLX_COLLECTION_NONE
  var target = ""
  var isNullable = false
  var isPrimaryKey = false
  var isIndexed = false
}

/// A class as tests declare it.
struct TestClass {
  var name: String
  var kind = flx_class_kind_t.FLX_CLASS_TOP_LEVEL
  var properties: [TestProperty]
}

extension [TestClass] {
  /// Lends the classes to C.
  func withC<Result>(_ body: (UnsafeBufferPointer<flx_class_info_t>) throws -> Result) rethrows -> Result {
    var keeper = Keeper()
    defer { keeper.free() }
    let infos = map { testClass in
      var info = flx_class_info_t()
      info.name = keeper.keep(testClass.name)
      info.kind = testClass.kind
      let properties = keeper.keep(
        testClass.properties.map { property in
          var info = flx_property_info_t()
          info.name = keeper.keep(property.name)
          info.type = property.type
          info.collection = property.collection
          info.link_target = keeper.keep(property.target)
          info.is_nullable = property.isNullable
          info.is_primary_key = property.isPrimaryKey
          info.is_indexed = property.isIndexed
          return info
        }
      )
      info.properties = UnsafePointer(properties.baseAddress)
      info.property_count = properties.count
      return info
    }
    return try infos.withUnsafeBufferPointer(body)
  }

  /// Tasks with one property of most types, and people that link to tasks and to each other.
  static let tasks: [TestClass] = [
    TestClass(
      name: "Task",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(name: "name", type: .FLX_TYPE_STRING),
        TestProperty(name: "progress", type: .FLX_TYPE_INT, isIndexed: true),
        TestProperty(name: "isDone", type: .FLX_TYPE_BOOL),
        TestProperty(name: "note", type: .FLX_TYPE_STRING, isNullable: true),
        TestProperty(name: "due", type: .FLX_TYPE_TIMESTAMP, isNullable: true),
        TestProperty(name: "weight", type: .FLX_TYPE_DOUBLE),
        TestProperty(name: "ratio", type: .FLX_TYPE_FLOAT),
        TestProperty(name: "data", type: .FLX_TYPE_BINARY, isNullable: true),
        TestProperty(name: "oid", type: .FLX_TYPE_OBJECT_ID, isNullable: true),
        TestProperty(name: "uuid", type: .FLX_TYPE_UUID, isNullable: true),
        TestProperty(name: "owner", type: .FLX_TYPE_LINK, target: "Person"),
        TestProperty(name: "tags", type: .FLX_TYPE_STRING, collection: .FLX_COLLECTION_LIST),
      ]
    ),
    TestClass(
      name: "Person",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_STRING, isPrimaryKey: true),
        TestProperty(name: "age", type: .FLX_TYPE_INT),
        TestProperty(name: "tasks", type: .FLX_TYPE_LINK, collection: .FLX_COLLECTION_LIST, target: "Task"),
        TestProperty(name: "friend", type: .FLX_TYPE_LINK, target: "Person"),
      ]
    ),
  ]
}

/// Memory that C borrows for the time of a call.
struct Keeper {
  private var blocks: [UnsafeMutableRawPointer] = []

  mutating func keep(_ text: String) -> flx_string_t {
    let bytes = keep(text.utf8.map { CChar(bitPattern: $0) })
    return flx_string_t(data: UnsafePointer(bytes.baseAddress), size: bytes.count)
  }

  mutating func keep<Element>(_ elements: [Element]) -> UnsafeMutableBufferPointer<Element> {
    let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = buffer.initialize(fromContentsOf: elements)
    if let base = buffer.baseAddress { blocks.append(UnsafeMutableRawPointer(base)) }
    return buffer
  }

  mutating func free() {
    for block in blocks { block.deallocate() }
  }
}
