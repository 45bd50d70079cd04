// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// What a participant has, in a form in which equal states are equal texts.
struct Snapshot {
  /// The text of each object by class and id.
  private let objects: [String: String]

  init(of participant: any Participant, classes: [String]) throws {
    var objects: [String: String] = [:]
    for (className, object) in try Snapshot.objects(of: participant, classes: classes) {
      objects["\(className) \(object["_id"]?.stringValue ?? "?")"] = object.canonical.serialized
    }
    self.objects = objects
  }

  static func objects(
    of participant: any Participant,
    classes: [String]
  ) throws -> [(className: String, object: JSON)] {
    try classes.flatMap { className in try participant.objects(of: className).map { (className, $0) } }
  }

  var count: Int { objects.count }

  /// The objects that are not the same in the other one; empty if there is none.
  func differences(from other: Snapshot) -> [String] {
    Set(objects.keys).union(other.objects.keys).sorted().filter { objects[$0] != other.objects[$0] }
  }

  func text(of object: String) -> String { objects[object] ?? "nothing" }
}

/// Properties that are sets, whose order does not count.
private let setProperties: Set<String> = ["labels", "numbers", "related"]

extension JSON {
  /// Members by name, and sets in an order of their own.
  var canonical: JSON {
    switch self {
    case .array(let elements): return .array(elements.map(\.canonical))
    case .object(let members):
      // Peers name the class in each object.
      let rest = members.filter { $0.name != "class" }.map { member in
        guard setProperties.contains(member.name), let elements = member.value.arrayValue else {
          return JSON.Member(member.name, member.value.canonical)
        }
        return JSON.Member(member.name, .array(elements.sorted { $0.serialized < $1.serialized }))
      }
      return .object(rest.sorted { $0.name < $1.name })
    default: return self
    }
  }
}
