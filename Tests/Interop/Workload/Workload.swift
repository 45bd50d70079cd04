// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

/// Random changes of a small set of objects, so that participants meet at the same ones.
struct Workload {
  let classes: [ClassWorkload]

  /// Those of the example app, or also those of Tests/Conformance with properties of all types.
  ///
  /// - Parameter isComplete: whether there are also changes at which peers of another make diverge by their own rules.
  init(allClasses: Bool, isComplete: Bool) {
    let basic: [ClassWorkload] = [TaskWorkload(), TeamWorkload()]
    let others: [ClassWorkload] = [
      ItemWorkload(isComplete: isComplete), ContactWorkload(isComplete: isComplete),
      NoteWorkload(isComplete: isComplete),
    ]
    classes = allClasses ? basic + others : basic
  }

  var classNames: [String] { classes.map(\.name) }

  /// A change that the participant can make in the transaction that it has begun; nil if there is nothing to change.
  func change(by participant: any Participant, _ generator: inout SeededGenerator) throws -> JSON? {
    let chosen = generator.pick(classes)
    var context = EditContext(participant: participant, generator: generator)
    defer { generator = context.generator }
    let id = context.generator.pick(Workload.identifiers(of: chosen.name))
    let objects = try context.objects(of: chosen.name)
    guard let object = objects.first(where: { $0["_id"]?.stringValue == id }) else {
      return creation(of: chosen, id, &context)
    }
    if context.generator.chance(4) { return ["delete": .string(chosen.name), "id": .string(id)] }
    guard case .object(let members)? = try chosen.edit(object, &context) else { return nil }
    let target: JSON = ["class": .string(chosen.name), "id": .string(id)]
    return .object(members + (target.objectValue ?? []))
  }

  private func creation(of chosen: ClassWorkload, _ id: String, _ context: inout EditContext) -> JSON {
    ["create": .string(chosen.name), "id": .string(id), "values": chosen.values(&context.generator)]
  }

  /// The ids that objects of a class can have.
  static func identifiers(of className: String) -> [String] {
    // Each class has its own, so that a link that goes astray is seen.
    let letters = ["Task": "a", "Team": "b", "Item": "c", "Contact": "d", "Note": "e"]
    let prefix = "65\(letters[className] ?? "f")"
    // Few, so that the participants meet; more of those that lists link to.
    return (1...(className == "Task" ? 4 : 2)).map { prefix + String(repeating: "0", count: 20) + "\($0)" }
  }
}

/// What is changed in the objects of one class.
protocol ClassWorkload {
  var name: String { get }
  /// Values for a new object, and for some properties of one that exists.
  func values(_ generator: inout SeededGenerator) -> JSON
  /// A change without class and id; nil if nothing of the kind that came up can be done.
  func edit(_ object: JSON, _ context: inout EditContext) throws -> JSON?
}

/// Who makes a change.
struct EditContext {
  let participant: any Participant
  var generator: SeededGenerator

  func objects(of className: String) throws -> [JSON] { try participant.objects(of: className) }

  /// An object to link to; nil if there is none.
  mutating func target(in className: String) throws -> JSON? {
    let targets = try objects(of: className).compactMap { $0["_id"] }
    guard !targets.isEmpty else { return nil }
    return generator.pick(targets)
  }
}
