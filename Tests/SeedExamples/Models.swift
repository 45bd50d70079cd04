// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

// The models of the page on managing subscriptions. Within this module, Swift's own Task is _Concurrency.Task.

class Task: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var taskName: String
  @Persisted var assignee: String?
  @Persisted var completed: Bool
  @Persisted var progressMinutes: Int
  @Persisted var dueDate: Date
}

class Team: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var teamName: String
  @Persisted var tasks: List<Task>
  @Persisted var members: List<String>
}

// The model of the page on writing to a synced realm.

class Item: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var ownerId: String
  @Persisted var itemName: String
  @Persisted var complexity: Int
}
