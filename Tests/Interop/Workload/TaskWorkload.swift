// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

/// Plain values, and sums.
struct TaskWorkload: ClassWorkload {
  let name = "Task"

  func values(_ generator: inout SeededGenerator) -> JSON {
    [
      "taskName": generator.word(), "assignee": generator.chance(25) ? nil : generator.word(),
      "completed": .bool(generator.chance(50)), "progressMinutes": generator.integer(),
      "dueDate": .integer(Int64(1_700_000_000 + generator.number(below: 1_000_000))),
    ]
  }

  func edit(_ object: JSON, _ context: inout EditContext) -> JSON? {
    guard context.generator.chance(40) else {
      return ["set": .string(name), "values": context.generator.some(of: values(&context.generator))]
    }
    let delta = Int64(1 + context.generator.number(below: 50))
    if context.participant.increments { return ["increment": "progressMinutes", "value": .integer(delta)] }
    let sum = (object["progressMinutes"]?.integerValue ?? 0) + delta
    return ["set": .string(name), "values": ["progressMinutes": .integer(sum)]]
  }
}
