// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Parses, binds, prints and evaluates any bytes. Built by Scripts/fuzz with libFuzzer.
///
/// What is bound must print to a text that binds to the same query, and evaluating it on an empty object must end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQuery(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  do throws(QueryError) {
    let query = try Query.parse(text).bind(to: schema, className: "Item", arguments: arguments)
    _ = query.predicate.matches(RowImage())
    check(query)
  } catch {
    if let position = error.position { precondition((0...text.utf8.count).contains(position)) }
  }
  return 0
}

private func check(_ query: BoundQuery) {
  let canonical = query.canonicalText
  do throws(QueryError) {
    let again = try Query.parse(canonical).bind(to: schema, className: "Item")
    precondition(again == query, "'\(canonical)' is another query")
    precondition(again.canonicalText == canonical, "'\(canonical)' prints as '\(again.canonicalText)'")
  } catch {
    // Only the size may grow beyond what is accepted.
    precondition(canonical.utf8.count > Query.maximumByteCount, "'\(canonical)' is refused: \(error)")
  }
}

private let arguments: [QueryArgument] = [
  .value(.int(1)), .value(.string("name")), .list([.int(1), .null, .string("x")]), .keyPath("items.name"),
  .value(.double(1.5)),
]

private let schema = Schema([
  ClassSchema(
    name: "Item",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [
      PropertySchema(name: "name", type: .string, isNullable: true), PropertySchema(name: "age", type: .int),
      PropertySchema(name: "price", type: .double), PropertySchema(name: "size", type: .float),
      PropertySchema(name: "cost", type: .decimal), PropertySchema(name: "data", type: .binary),
      PropertySchema(name: "when", type: .timestamp), PropertySchema(name: "flag", type: .bool),
      PropertySchema(name: "oid", type: .objectId), PropertySchema(name: "uid", type: .uuid),
      PropertySchema(name: "any one", type: .mixed),
      PropertySchema(name: "tags", type: .string, collection: .list),
      PropertySchema(name: "nums", type: .int, isNullable: true, collection: .set),
      PropertySchema(name: "dict", type: .mixed, collection: .dictionary),
      PropertySchema(name: "owner", type: .link, isNullable: true, linkTarget: "Item"),
      PropertySchema(name: "items", type: .link, collection: .list, linkTarget: "Item"),
      PropertySchema(name: "map", type: .link, isNullable: true, collection: .dictionary, linkTarget: "Item"),
      PropertySchema(name: "pos", type: .link, isNullable: true, linkTarget: "Point"),
    ]
  ),
  ClassSchema(
    name: "Point",
    kind: .embedded,
    primaryKey: nil,
    properties: [
      PropertySchema(name: "type", type: .string),
      PropertySchema(name: "coordinates", type: .double, collection: .list),
    ]
  ),
])
