// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

/// Sets and dictionaries of plain values and links.
///
/// Left out unless complete: null in sets, whose removal the reference applies to the wrong element.
struct ItemWorkload: ClassWorkload {
  let name = "Item"
  let isComplete: Bool

  func values(_ generator: inout SeededGenerator) -> JSON { ["name": generator.word()] }

  func edit(_ object: JSON, _ context: inout EditContext) throws -> JSON? {
    // Few values, so that the same ones meet.
    let number = JSON.integer(Int64(context.generator.number(below: 6)))
    let label = JSON.string(context.generator.pick(["low", "high", "late", "über"]))
    switch context.generator.number(below: 8) {
    case 0: return ["set": .string(name), "values": values(&context.generator)]
    case 1: return CollectionEdits.set("labels", &context.generator, value: label)
    case 2:
      let element = isComplete && context.generator.chance(20) ? .null : number
      return CollectionEdits.set("numbers", &context.generator, value: element)
    case 3: return CollectionEdits.set("related", &context.generator, value: try context.target(in: "Item"))
    case 4: return CollectionEdits.dictionary("counts", &context.generator, value: number)
    case 5:
      return CollectionEdits.dictionary(
        "notes",
        &context.generator,
        value: context.generator.chance(20) ? .null : label
      )
    case 6: return CollectionEdits.dictionary("dates", &context.generator, value: number)
    default:
      return CollectionEdits.dictionary("partners", &context.generator, value: try context.target(in: "Item"))
    }
  }
}
