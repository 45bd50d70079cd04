// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncStore
@testable import FlexSyncVectors

/// Embedded objects against a model of the rules in memory.
@Suite struct EmbeddedModelTests {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func randomInstructionsLeadToTheStateOfTheModel(seed: UInt64) throws {
    let store = try ObjectStore.inMemory()
    var model = ObjectModel()
    let declarations = ObjectStore.declarations(of: contactSchema)
    try store.database.write { try store.apply(declarations) }
    try model.apply(declarations)
    var random = RandomContactInstructions(seed: seed)
    for _ in 0..<10 {
      try store.database.write {
        for _ in 0..<60 {
          let instruction = random.next(store)
          let accepted = (try? model.apply(instruction)) != nil
          do {
            try store.apply(instruction)
            #expect(accepted, "seed \(seed): accepted \(instruction)")
          } catch {
            #expect(!accepted, "seed \(seed): \(error)")
          }
        }
      }
      let difference = try store.database.read { try store.state().difference(from: model.state) }
      #expect(difference == nil, "seed \(seed)")
      try store.database.read { try everyEmbeddedObjectIsWhereItsPathLeads(store, seed) }
    }
    try fullStatesMakeTheSameStore(store, seed)
    try erasingAllLeavesNothing(store, seed)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func localDeletionsDoWhatTheySay(seed: UInt64) throws {
    let store = try contactStore()
    let copy = try contactStore()
    var random = RandomContactInstructions(seed: seed)
    for _ in 0..<200 {
      let instruction = random.next(store)
      if (try? store.apply(instruction)) != nil { try copy.apply(instruction) }
    }
    for key in 0..<4 as Range<Int64> { try copy.apply(try store.localErase(contact(key))) }
    #expect(try copy.state().difference(from: store.state()) == nil, "seed \(seed)")
  }

  private func everyEmbeddedObjectIsWhereItsPathLeads(_ store: ObjectStore, _ seed: UInt64) throws {
    for (_, table) in try store.tables where table.isEmbedded {
      for row in try store.rows(table) {
        let name = table.columns[1].schema.name
        let place = try store.resolve(try store.path(to: name, row: row, in: table))
        #expect(place.row == row && place.column === table.columns[1], "seed \(seed)")
      }
    }
  }

  private func fullStatesMakeTheSameStore(_ store: ObjectStore, _ seed: UInt64) throws {
    let copy = try contactStore()
    let table = try store.requireTable("Contact")
    for row in try store.rows(table) { try copy.apply(try store.fullState(of: row, in: table)) }
    try expectWrittenStatesAreFullStates(store, seed)
    #expect(try copy.state().difference(from: store.state()) == nil, "seed \(seed)")
  }

  private func erasingAllLeavesNothing(_ store: ObjectStore, _ seed: UInt64) throws {
    try store.database.write {
      let table = try store.requireTable("Contact")
      for row in try store.rows(table) { try store.erase(row: row, in: table) }
      for (name, table) in try store.tables { #expect(try store.count(table) == 0, "seed \(seed) \(name)") }
    }
  }
}

/// Instructions on the classes of `contactSchema`, of which most can be applied.
struct RandomContactInstructions {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// - Parameter store: gives the sizes of lists.
  mutating func next(_ store: ObjectStore) -> Instruction {
    let target = contact(Int64(below(4)))
    switch below(27) {
    case 0...3: return .createObject(target)
    case 4: return .eraseObject(target)
    case 5: return .update(target.path("name"), .value(.string("n\(below(9))")), .isDefault(false))
    case 6...9: return makeObject(PropertyPath(object: target, field: "home"))
    case 10...13: return change(list: PropertyPath(object: target, field: "addresses"), .object, store)
    case 24...26: return changeEntry(PropertyPath(object: target, field: "places"))
    case 14...20: return changeAddress(address(of: target, store), store)
    default:
      let address = address(of: target, store)
      let country =
        below(2) == 0 ? address.field("country") : element(of: address.field("former"), store)
      return .update(country.field("name"), .value(.string("c\(below(9))")), .isDefault(false))
    }
  }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  private mutating func address(of target: ObjectReference, _ store: ObjectStore) -> PropertyPath {
    if below(3) == 0 { return PropertyPath(object: target, field: "home") }
    if below(3) == 0 { return entry(of: PropertyPath(object: target, field: "places")) }
    return element(of: PropertyPath(object: target, field: "addresses"), store)
  }

  private mutating func element(of list: PropertyPath, _ store: ObjectStore) -> PropertyPath {
    list.appending(.index(UInt32(below(size(of: list, store) + (below(10) == 0 ? 2 : 1)))))
  }

  private mutating func entry(of dictionary: PropertyPath) -> PropertyPath {
    dictionary.field("k\(below(3))")
  }

  private mutating func changeEntry(_ dictionary: PropertyPath) -> Instruction {
    switch below(8) {
    case 0: return .clear(dictionary, .dictionary)
    case 1...2: return .update(entry(of: dictionary), .erased, .isDefault(false))
    default: return makeObject(entry(of: dictionary))
    }
  }

  private func size(of list: PropertyPath, _ store: ObjectStore) -> Int {
    guard let place = try? store.resolve(list) else { return 0 }
    return (try? store.listCount(row: place.row, place.column)) ?? 0
  }

  private mutating func makeObject(_ path: PropertyPath) -> Instruction {
    let payload: Payload =
      switch below(12) {
      case 0...1: .value(.null)
      case 2: .value(.link(Link(className: "Address", key: .int(1))))
      default: .object
      }
    return .update(path, payload, .isDefault(false))
  }

  private mutating func changeAddress(_ address: PropertyPath, _ store: ObjectStore) -> Instruction {
    switch below(9) {
    case 0:
      return .update(address.field("street"), .value(.string("s\(below(9))")), .isDefault(false))
    case 1: return .update(address.field("number"), .value(.int(Int64(below(9)))), .isDefault(false))
    case 2: return .addInteger(address.field("number"), delta: 3)
    case 3: return change(list: address.field("tags"), .value(.string("t\(below(9))")), store)
    case 4...5: return makeObject(address.field("country"))
    case 6: return change(list: address.field("former"), .object, store)
    case 7: return .update(address.field("landlord"), .value(link()), .isDefault(false))
    default: return change(list: address.field("neighbours"), .value(link()), store)
    }
  }

  private mutating func link() -> Value { .link(Link(className: "Contact", key: .int(Int64(below(5))))) }

  private mutating func change(list: PropertyPath, _ payload: Payload, _ store: ObjectStore) -> Instruction {
    let count = size(of: list, store) + (below(20) == 0 ? 1 : 0)
    let prior = UInt32(count)
    let place = list.appending(.index(UInt32(below(count + 1))))
    switch below(10) {
    case 0...5: return .arrayInsert(place, payload, priorSize: prior)
    case 6: return .arrayErase(place, priorSize: prior)
    case 7: return .arrayMove(place, to: UInt32(below(count + 1)), priorSize: prior)
    case 8: return .update(place, payload, .priorSize(prior))
    default: return below(3) == 0 ? .clear(list, .list) : .arrayInsert(place, payload, priorSize: prior)
    }
  }
}

extension PropertyPath {
  fileprivate func field(_ name: String) -> PropertyPath { appending(.name(name)) }
}
