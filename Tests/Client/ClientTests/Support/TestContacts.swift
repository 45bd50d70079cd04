// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

extension [TestClass] {
  /// Contacts that embed addresses, one and a list, which embed a country.
  static let contacts: [TestClass] = [
    TestClass(
      name: "Contact",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(name: "name", type: .FLX_TYPE_STRING),
        TestProperty(name: "home", type: .FLX_TYPE_LINK, target: "Address"),
        TestProperty(
          name: "addresses",
          type: .FLX_TYPE_LINK,
          collection: .FLX_COLLECTION_LIST,
          target: "Address"
        ),
        TestProperty(name: "friend", type: .FLX_TYPE_LINK, target: "Contact"),
        TestProperty(
          name: "friends",
          type: .FLX_TYPE_LINK,
          collection: .FLX_COLLECTION_LIST,
          target: "Contact"
        ),
      ]
    ),
    TestClass(
      name: "Address",
      kind: .FLX_CLASS_EMBEDDED,
      properties: [
        TestProperty(name: "street", type: .FLX_TYPE_STRING),
        TestProperty(name: "number", type: .FLX_TYPE_INT),
        TestProperty(name: "country", type: .FLX_TYPE_LINK, target: "Country"),
        TestProperty(name: "landlord", type: .FLX_TYPE_LINK, target: "Contact"),
        TestProperty(name: "tags", type: .FLX_TYPE_STRING, collection: .FLX_COLLECTION_LIST),
      ]
    ),
    TestClass(
      name: "Country",
      kind: .FLX_CLASS_EMBEDDED,
      properties: [TestProperty(name: "name", type: .FLX_TYPE_STRING)]
    ),
  ]
}

extension TestObject {
  func setEmbedded(_ name: String, _ className: String) throws -> TestObject {
    let key = try realm.property(self.className, name).key
    var object: OpaquePointer?
    try attempt { flx_object_set_embedded(handle, key, &object, $0) }
    return TestObject(realm, className, try #require(object))
  }

  func backlinks(from className: String, _ property: String) throws -> TestResults {
    let classKey = try realm.classKey(className)
    let key = try realm.property(className, property).key
    var results: OpaquePointer?
    try attempt { flx_object_get_backlinks(handle, classKey, key, &results, $0) }
    return TestResults(realm, className, try #require(results))
  }

  /// The object that a link property leads to.
  func linked(_ name: String, _ className: String) throws -> TestObject? {
    try realm.linked(try get(name), className)
  }
}

extension TestList {
  func insertEmbedded(_ realm: TestRealm, _ className: String, at index: Int) throws -> TestObject {
    var object: OpaquePointer?
    try attempt { flx_list_insert_embedded(handle, index, &object, $0) }
    return TestObject(realm, className, try #require(object))
  }

  func setEmbedded(_ realm: TestRealm, _ className: String, at index: Int) throws -> TestObject {
    var object: OpaquePointer?
    try attempt { flx_list_set_embedded(handle, index, &object, $0) }
    return TestObject(realm, className, try #require(object))
  }

  func linked(_ realm: TestRealm, _ className: String, at index: Int) throws -> TestObject {
    try #require(try realm.linked(try get(index), className))
  }
}
