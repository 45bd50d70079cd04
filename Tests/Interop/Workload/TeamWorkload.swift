// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

/// Lists of text and of links.
struct TeamWorkload: ClassWorkload {
  let name = "Team"

  func values(_ generator: inout SeededGenerator) -> JSON { ["teamName": generator.word()] }

  func edit(_ object: JSON, _ context: inout EditContext) throws -> JSON? {
    if context.generator.chance(10) {
      return ["set": .string(name), "values": values(&context.generator)]
    }
    if context.generator.chance(55) {
      return CollectionEdits.list("members", object, &context.generator) { $0.word() }
    }
    let target = try context.target(in: "Task")
    return CollectionEdits.list("tasks", object, &context.generator) { _ in target }
  }
}
