// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

// The classes of Examples/TaskTracker.

class Task: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var taskName: String
  @Persisted var assignee: String?
  @Persisted var completed: Bool
  @Persisted var progressMinutes: Int
  @Persisted var dueDate: Date

  convenience init(_ name: String, assignee: String? = nil, completed: Bool = false, minutes: Int = 0) {
    self.init()
    taskName = name
    self.assignee = assignee
    self.completed = completed
    progressMinutes = minutes
  }
}

class Team: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var teamName: String
  @Persisted var tasks: List<Task>
  @Persisted var members: List<String>

  convenience init(_ name: String, members: [String] = [], tasks: [Task] = []) {
    self.init()
    teamName = name
    self.members.append(objectsIn: members)
    self.tasks.append(objectsIn: tasks)
  }
}

// Classes that are only used in local realms.

enum Priority: String, PersistableEnum {
  case low
  case medium
  case high
}

enum Level: Int, PersistableEnum {
  case zero
  case one
  case nine = 9
}

/// Every type that a single property can have, required and optional.
class Everything: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var bool: Bool
  @Persisted var int: Int
  @Persisted var int8: Int8
  @Persisted var int16: Int16
  @Persisted var int32: Int32
  @Persisted var int64: Int64
  @Persisted var float: Float
  @Persisted var double: Double
  @Persisted var string: String
  @Persisted var data: Data
  @Persisted var date: Date
  @Persisted var objectId: ObjectId
  @Persisted var uuid: UUID
  @Persisted var priority: Priority
  @Persisted var level: Level

  @Persisted var optionalBool: Bool?
  @Persisted var optionalInt: Int?
  @Persisted var optionalInt8: Int8?
  @Persisted var optionalFloat: Float?
  @Persisted var optionalDouble: Double?
  @Persisted var optionalString: String?
  @Persisted var optionalData: Data?
  @Persisted var optionalDate: Date?
  @Persisted var optionalObjectId: ObjectId?
  @Persisted var optionalUUID: UUID?
  @Persisted var optionalPriority: Priority?
  @Persisted var link: Everything?

  convenience init(_ id: Int) {
    self.init()
    _id = id
  }
}

/// Every type that an element of a list can have.
class Lists: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var bools: List<Bool>
  @Persisted var ints: List<Int>
  @Persisted var floats: List<Float>
  @Persisted var doubles: List<Double>
  @Persisted var strings: List<String>
  @Persisted var datas: List<Data>
  @Persisted var dates: List<Date>
  @Persisted var objectIds: List<ObjectId>
  @Persisted var uuids: List<UUID>
  @Persisted var priorities: List<Priority>
  @Persisted var optionalInts: List<Int?>
  @Persisted var optionalStrings: List<String?>
  @Persisted var objects: List<Everything>
}

class Person: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age = 18
  @Persisted var dog: Dog?
  @Persisted var friends: List<Person>

  convenience init(_ name: String, age: Int = 18, dog: Dog? = nil) {
    self.init()
    self.name = name
    self.age = age
    self.dog = dog
  }
}

class Dog: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted(indexed: true) var name = "Rex"
  @Persisted var owner: Person?
}

/// A class whose properties come from two Swift classes.
class Puppy: Dog {
  @Persisted var weeks: Int
  @Persisted var favouriteToy: String?
}

/// A class whose initialiser makes other objects and whose schema has other names.
class Renamed: Object {
  @Persisted(primaryKey: true) var key: Int
  @Persisted var partner: Person? = Person("default partner")
  @Persisted var title = "untitled"

  override class func _realmObjectName() -> String? { "Other" }
  override class func propertiesMapping() -> [String: String] { ["key": "_id", "title": "label"] }
}
