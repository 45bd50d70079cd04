// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

/// Embedded objects in a property, a list and a dictionary, and a link.
///
/// Left out unless complete: moves in the list (protocol §7.3), and two participants that create the same key of the dictionary, where the
/// reference itself diverges: each creates under its own key, and changes and removes all.
struct ContactWorkload: ClassWorkload {
  let name = "Contact"
  let isComplete: Bool

  func values(_ generator: inout SeededGenerator) -> JSON { ["name": generator.word()] }

  func edit(_ object: JSON, _ context: inout EditContext) throws -> JSON? {
    switch context.generator.number(below: 9) {
    case 0: return ["set": .string(name), "values": values(&context.generator)]
    case 1:
      let home = context.generator.chance(20) ? JSON.null : address(&context.generator)
      return ["set": .string(name), "values": ["home": home]]
    case 2:
      let target = context.generator.chance(20) ? JSON.null : try context.target(in: name) ?? .null
      return ["set": .string(name), "values": ["friend": target]]
    case 3, 4:
      return CollectionEdits.list("addresses", object, canMove: isComplete, &context.generator) {
        address(&$0)
      }
    case 5: return placesEdit(object, &context)
    default: return insideEdit(object, &context.generator)
    }
  }

  private func address(_ generator: inout SeededGenerator) -> JSON {
    var members: [JSON.Member] = [.init("street", generator.word()), .init("number", generator.integer())]
    if generator.chance(50) { members.append(.init("country", ["name": generator.word()])) }
    return .object(members)
  }

  private func placesEdit(_ object: JSON, _ context: inout EditContext) -> JSON? {
    let own = isComplete ? context.generator.pick(["one", "two"]) : context.participant.name
    let keys = object["places"]?.objectValue?.map(\.name) ?? []
    if !keys.contains(own) || isComplete && context.generator.chance(30) {
      return ["put": "places", "key": .string(own), "value": address(&context.generator)]
    }
    if context.generator.chance(10) { return ["clear": "places"] }
    return ["drop": "places", "key": .string(context.generator.pick(keys))]
  }

  /// A change of a value of one of the embedded objects.
  private func insideEdit(_ object: JSON, _ generator: inout SeededGenerator) -> JSON? {
    var places: [(path: JSON, address: JSON)] = []
    if let home = object["home"], home != .null { places.append((["home"], home)) }
    for (index, address) in (object["addresses"]?.arrayValue ?? []).enumerated() {
      places.append((["addresses", .integer(Int64(index))], address))
    }
    for member in object["places"]?.objectValue ?? [] where member.value != .null {
      places.append((["places", .string(member.name)], member.value))
    }
    guard !places.isEmpty else { return nil }
    let place = generator.pick(places)
    if let country = place.address["country"], country != .null, generator.chance(40) {
      let path = JSON.array((place.path.arrayValue ?? []) + ["country"])
      return ["set": .string(name), "inside": path, "values": ["name": generator.word()]]
    }
    let values: JSON = [
      "street": generator.word(), "number": generator.chance(20) ? nil : generator.integer(),
    ]
    return ["set": .string(name), "inside": place.path, "values": generator.some(of: values)]
  }
}
