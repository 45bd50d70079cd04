// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// One class with decimals and with what can hold anything.
let noteSchema = Schema([
  ClassSchema(
    name: "Note",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [
      PropertySchema(name: "any", type: .mixed, isNullable: true),
      PropertySchema(name: "anything", type: .mixed, isNullable: true, collection: .list),
      PropertySchema(name: "byName", type: .mixed, isNullable: true, collection: .dictionary),
      PropertySchema(name: "price", type: .decimal),
      PropertySchema(name: "discount", type: .decimal, isNullable: true, isIndexed: true),
      PropertySchema(name: "prices", type: .decimal, collection: .list),
    ]
  )
])

/// A store in memory, inside a write transaction, with the classes of `taskSchema` and `noteSchema`.
func noteStore() throws -> ObjectStore {
  let store = try taskStore()
  try store.declare(noteSchema)
  return store
}

func note(_ key: Int64) -> ObjectReference { ObjectReference(table: "Note", key: .int(key)) }

func decimal(_ coefficient: UInt64, exponent: Int32 = 0, isNegative: Bool = false) -> Value {
  .decimal(
    Decimal128(coefficientHigh: 0, coefficientLow: coefficient, exponent: exponent, isNegative: isNegative)
  )
}

/// A scalar of each type, and of those with several forms each form.
let scalars: [Value] = [
  .null, .int(.min), .int(0), .int(42), .bool(true), .bool(false), .string("a\u{0}é"), .string(""),
  .malformedString([0xff, 0]), .binary([0, 255]), .binary([]), .timestamp(.epoch),
  .timestamp(Timestamp(seconds: -1, nanoseconds: -500) ?? .epoch),
  .timestamp(Timestamp(seconds: .max, nanoseconds: 999_999_999) ?? .epoch), .float(1.5), .float(0),
  .float(.nan),
  .double(-2.25), .double(3), .double(0), .double(.infinity), .double(.nan), decimal(100, exponent: -2),
  decimal(0, isNegative: true),
  .decimal(Decimal128(coefficientHigh: 0, coefficientLow: 0, exponent: 9696, isNegative: false)),
  .objectId(ObjectId(high: .max, low: 7)), .uuid(UUIDValue(high: 3, low: .max)), link(1),
  .link(Link(className: "Person", key: .null)), .link(Link(className: "Person", key: .string("ann"))),
]
