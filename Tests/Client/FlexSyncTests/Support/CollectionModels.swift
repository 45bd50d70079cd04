// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// Every type that an element of a set can have.
class Sets: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var bools: MutableSet<Bool>
  @Persisted var ints: MutableSet<Int>
  @Persisted var floats: MutableSet<Float>
  @Persisted var doubles: MutableSet<Double>
  @Persisted var strings: MutableSet<String>
  @Persisted var datas: MutableSet<Data>
  @Persisted var dates: MutableSet<Date>
  @Persisted var objectIds: MutableSet<ObjectId>
  @Persisted var uuids: MutableSet<UUID>
  @Persisted var priorities: MutableSet<Priority>
  @Persisted var optionalInts: MutableSet<Int?>
  @Persisted var optionalStrings: MutableSet<String?>
  @Persisted var objects: MutableSet<Everything>
}

/// Every type that a value of a map can have.
class Maps: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var bools: Map<String, Bool>
  @Persisted var ints: Map<String, Int>
  @Persisted var floats: Map<String, Float>
  @Persisted var doubles: Map<String, Double>
  @Persisted var strings: Map<String, String>
  @Persisted var datas: Map<String, Data>
  @Persisted var dates: Map<String, Date>
  @Persisted var objectIds: Map<String, ObjectId>
  @Persisted var uuids: Map<String, UUID>
  @Persisted var priorities: Map<String, Priority>
  @Persisted var optionalInts: Map<String, Int?>
  @Persisted var optionalStrings: Map<String, String?>
  @Persisted var objects: Map<String, Everything?>
}
