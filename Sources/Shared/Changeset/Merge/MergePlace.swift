// SPDX-License-Identifier: Apache-2.0

/// The place within its object that an instruction acts on, in just enough detail to tell which instructions can
/// interact.
enum MergePlace: Hashable {
  case object
  /// An entire property.
  case property(String)
  /// An addition to a property. Additions do not interact with each other.
  case sum(String)
  /// The contents of a key of a property: of a dictionary, or of an embedded object.
  case entry(String, key: String)
  /// An element of a list that is itself a property, or something inside such an element.
  case elements(String)

  /// The place of an instruction on an object.
  init(_ instruction: Instruction) {
    guard let path = instruction.path else {
      self = .object
      return
    }
    switch (path.path.first, instruction.kind) {
    case (.name(let key), _): self = .entry(path.field, key: key)
    case (.index, _): self = .elements(path.field)
    case (nil, .addInteger): self = .sum(path.field)
    case (nil, _): self = .property(path.field)
    }
  }

  var property: String? {
    switch self {
    case .object: nil
    case .property(let property), .sum(let property), .entry(let property, _), .elements(let property):
      property
    }
  }
}

/// The offsets of the instructions on one object, grouped by place.
struct ObjectOffsets {
  private struct Property {
    var all: [Int] = []
    var sums: [Int] = []
    /// All except sums.
    var others: [Int] = []
    var whole: [Int] = []
    var parts: [MergePlace: [Int]] = [:]
  }

  private var all: [Int] = []
  private var whole: [Int] = []
  private var properties: [String: Property] = [:]

  /// Adds an offset, which must be greater than all previous ones.
  mutating func add(_ offset: Int, _ place: MergePlace) {
    all.append(offset)
    guard let property = place.property else { return whole.append(offset) }
    properties[property, default: Property()].all.append(offset)
    guard place != .sum(property) else {
      properties[property]?.sums.append(offset)
      return
    }
    properties[property]?.others.append(offset)
    if place == .property(property) {
      properties[property]?.whole.append(offset)
    } else {
      properties[property]?.parts[place, default: []].append(offset)
    }
  }

  /// Returns the offsets of instructions that may interact with an instruction at a place, in groups, each in order.
  func candidates(for place: MergePlace) -> [[Int]] {
    guard let name = place.property else { return [all] }
    guard let property = properties[name] else { return [whole] }
    switch place {
    case .object, .property: return [whole, property.all]
    case .sum: return [whole, property.others]
    case .entry, .elements: return [whole, property.whole, property.sums, property.parts[place] ?? []]
    }
  }
}
