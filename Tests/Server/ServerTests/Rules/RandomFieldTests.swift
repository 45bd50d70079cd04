// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncJSON
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules

@Suite("Random permissions of fields, also inside of embedded objects")
struct RandomFieldTests {
  @Test(
    "Clients see what their role says, and what they write is taken if it says so",
    arguments: UInt64(1)...24
  )
  func agreement(seed: UInt64) throws {
    let world = try World(seed: seed)
    var takenCount = 0
    for round in 1...40 {
      let words = "seed \(seed), round \(round)"
      if world.rules.chance(25) {
        let change = try world.change(by: world.admin, isTidy: true)
        try world.write(change.instructions, by: world.admin)
      } else {
        let change = try world.change(by: world.writer, isTidy: false)
        let expected = try world.isAllowed(change)
        let (state, count) = (try world.state(), world.writer.rejections.count)
        try world.write(change.instructions, by: world.writer)
        let isTaken = world.writer.rejections.count == count
        let place = "\(words): \(change.instructions) with \(world.oracle.role.serialized) on \(state)"
        if let expected { #expect(isTaken == expected, "\(place)") }
        if isTaken { takenCount += 1 }
        try world.expectKept(state, after: change, isTaken: isTaken, place)
      }
      try world.expectViews(words)
    }
    #expect(takenCount > 0)
  }
}

/// What a client does to the contact.
private struct Change {
  enum Kind {
    /// One value at a place of which the names are given.
    case value
    /// An embedded object with some values.
    case object
    /// An embedded object is taken away, or all of a list.
    case removal
  }

  let kind: Kind
  /// The place that is written.
  let path: PropertyPath
  let instructions: [Instruction]
}

/// A server with one contact, and clients of two users.
private final class World {
  static let contact = ObjectReference(table: "Contact", key: .int(1))

  var rules: RandomFieldRules
  let oracle: FieldOracle
  let admin: SyncClient
  /// Two clients of one user, of which one only reads.
  let writer: SyncClient
  let reader: SyncClient
  private let harness: Harness
  private let app: TemporaryFolder
  private let schema: Schema
  private let tokens: Harness.Tokens
  private var tokenCount = 0

  init(seed: UInt64) throws {
    rules = RandomFieldRules(random: SeededGenerator(seed: seed))
    let role = rules.role()
    oracle = FieldOracle(role: role)
    app = App.directory(schema: RandomFieldRules.schema)
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write("{\"roles\":[\(role.serialized)]}", to: "data_sources/db/main/things/rules.json")
    let configuration = try AppDirectory.load(app.path)
    schema = configuration.schema
    let table = PermissionTable()
    harness = try Harness(app: app.path, permissions: table)
    tokens = try harness.logIn()
    table.users[tokens.userID] = configuration.rules.permissions(of: UserContext(id: "u"), schema: schema)
    admin = try World.client(harness, try harness.logIn(), schema)
    writer = try World.client(harness, tokens, schema)
    reader = try World.client(harness, tokens, schema)
    try write([.createObject(World.contact)] + fill(), by: admin)
  }

  private static func client(_ harness: Harness, _ tokens: Harness.Tokens, _ schema: Schema) throws
    -> SyncClient
  {
    let client = try SyncClient(harness, tokens: tokens, schema: schema)
    try client.connect()
    client.subscribe(#"{"Contact":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    return client
  }

  func write(_ instructions: [Instruction], by client: SyncClient) throws {
    try client.write { objects in
      try objects.apply(instructions)
      return instructions
    }
    for client in [client, admin, reader, writer] { try client.synchronize() }
  }

  // MARK: States

  func state(_ objects: ObjectStore? = nil) throws -> [Instruction] {
    try (objects ?? harness.openState()).contents(of: "Contact")[World.contact.key] ?? []
  }

  private func visible(_ instructions: [Instruction]) -> [Instruction] {
    instructions.filter { $0.path.map { !oracle.hides($0.propertyNames) } ?? true }
  }

  func expectViews(_ words: String) throws {
    let state = try state()
    let words = "\(words): \(oracle.role.serialized)"
    #expect(try self.state(admin.objects) == state, "admin, \(words)")
    #expect(try self.state(reader.objects) == visible(state), "reader, \(words)")
    #expect(visible(try self.state(writer.objects)) == visible(state), "writer, \(words)")
    if rules.chance(10) {
      let fresh = try World.client(harness, tokens, schema)
      #expect(try self.state(fresh.objects) == visible(state), "bootstrap, \(words)")
    }
    for client in [admin, reader, writer] { #expect(client.failures.isEmpty, "\(words)") }
  }

  /// Nothing that may not be written has changed, and nothing at all by what is refused.
  func expectKept(_ before: [Instruction], after change: Change, isTaken: Bool, _ words: String) throws {
    let after = try state()
    guard isTaken else {
      #expect(after == before, "\(words)")
      return
    }
    func protected(_ state: [Instruction]) -> [Instruction: Int] {
      var contents: [Instruction: Int] = [:]
      for instruction in state {
        guard let path = instruction.path, !oracle.mayWrite(path.propertyNames),
          case .update(_, let payload, let detail) = instruction
        else { continue }
        // Elements that are added or removed move others.
        let steps = path.path.map { if case .index = $0 { PathElement.index(0) } else { $0 } }
        let place = PropertyPath(object: path.object, field: path.field, path: steps)
        contents[.update(place, payload, detail), default: 0] += 1
      }
      return contents
    }
    #expect(protected(after) == protected(before), "\(words)")
    if change.kind == .value, let instruction = change.instructions.first {
      #expect(after.contains(instruction), "\(words)")
    }
  }

  // MARK: Changes

  private func value() -> Value { .string(rules.pick(["a", "b", "c", "d"])) }

  private func set(_ path: PropertyPath, _ value: Value, isDefault: Bool = false) -> Instruction {
    .update(path, .value(value), .isDefault(isDefault))
  }

  private func path(_ field: String, _ steps: PathElement...) -> PropertyPath {
    PropertyPath(object: World.contact, field: field, path: steps)
  }

  /// Everything is there once.
  private func fill() -> [Instruction] {
    var instructions = ["name", "count"].map { set(path($0), value()) }
    instructions.append(.arrayInsert(path("notes", .index(0)), .value(value()), priorSize: 0))
    for place in [path("home"), path("others", .index(0)), path("places", .name("k"))] {
      let isElement = place.field == "others"
      instructions.append(
        isElement ? .arrayInsert(place, .object, priorSize: 0) : .update(place, .object, .isDefault(false))
      )
      instructions += ["street", "code"].map { set(place.appending(.name($0)), value()) }
      let country = place.appending(.name("country"))
      instructions.append(.update(country, .object, .isDefault(false)))
      instructions += ["name", "tax"].map { set(country.appending(.name($0)), value()) }
    }
    return instructions
  }

  /// - Parameter isTidy: whether nothing is taken away for good, so that there is something to judge.
  func change(by client: SyncClient, isTidy: Bool) throws -> Change {
    let state = try state(client.objects)
    let places = state.compactMap { instruction -> PropertyPath? in
      switch instruction {
      case .update(let path, .object, _), .arrayInsert(let path, .object, _): path
      default: nil
      }
    }
    if rules.chance(isTidy ? 40 : 20), let change = addition(places) { return change }
    if !isTidy, rules.chance(15), let place = places.isEmpty ? nil : rules.pick(places) {
      return removal(of: place, places)
    }
    var leaves = ["name", "count"].map { path($0) }
    for place in places {
      let isCountry = place.propertyNames.last == "country"
      leaves += (isCountry ? ["name", "tax"] : ["street", "code"]).map { place.appending(.name($0)) }
    }
    let leaf = rules.pick(leaves)
    return Change(kind: .value, path: leaf, instructions: [set(leaf, value())])
  }

  private func addition(_ places: [PropertyPath]) -> Change? {
    let count = UInt32(places.filter { $0.field == "others" && $0.path.count == 1 }.count)
    let (list, entry) = (path("others", .index(count)), path("places", .name("n")))
    let missing = [path("home"), path("home", .name("country")), entry].filter { place in
      !places.contains(place)
        && (place.path.isEmpty || place.field == "places" || places.contains(path("home")))
    }
    let place = rules.pick([list] + missing)
    let isCountry = place.propertyNames.last == "country"
    var instructions: [Instruction] = [
      place == list
        ? .arrayInsert(place, .object, priorSize: count) : .update(place, .object, .isDefault(false))
    ]
    for name in isCountry ? ["name", "tax"] : ["street", "code"] where rules.chance(60) {
      instructions.append(set(place.appending(.name(name)), value(), isDefault: rules.chance(50)))
    }
    // As SDKs write links of new objects that lead nowhere.
    if !isCountry, rules.chance(30) { instructions.append(set(place.appending(.name("country")), .null)) }
    return Change(kind: .object, path: place, instructions: instructions)
  }

  private func removal(of place: PropertyPath, _ places: [PropertyPath]) -> Change {
    let instruction: Instruction
    switch place.path.last {
    case .index:
      let count = UInt32(places.filter { $0.field == "others" && $0.path.count == 1 }.count)
      instruction = rules.chance(70) ? .arrayErase(place, priorSize: count) : .clear(path("others"), .list)
    case .name where place.field == "places" && place.path.count == 1:
      instruction = .update(place, .erased, .isDefault(false))
    default: instruction = set(place, .null)
    }
    return Change(kind: .removal, path: place, instructions: [instruction])
  }

  /// Whether the server has to take a change; nil where that depends on more than the role.
  func isAllowed(_ change: Change) throws -> Bool? {
    let names = change.path.propertyNames
    let containers = Array(names.dropLast())
    // Of what is in a place that the user does not see, nothing is known.
    let isAroundHidden = !containers.isEmpty && oracle.hides(containers)
    switch change.kind {
    case .value:
      if isAroundHidden { return false }
      if oracle.mayWrite(names) { return true }
      return oracle.mayRead(names) ? try state().contains(change.instructions[0]) : false
    case .object:
      if isAroundHidden || !oracle.mayWrite(names) { return false }
      if oracle.hides(names) { return nil }
      return change.instructions.dropFirst().allSatisfy { instruction in
        guard case .update(let path, let payload, let detail) = instruction else { return true }
        return payload == .value(.null) || detail == .isDefault(true) || oracle.mayWrite(path.propertyNames)
      }
    case .removal:
      if isAroundHidden || oracle.hides(names) { return nil }
      if !oracle.mayWrite(names) { return false }
      return isWholly(names, oracle.mayWrite) ? true : nil
    }
  }

  /// Whether something is allowed of all fields inside of a place.
  private func isWholly(_ names: [String], _ isAllowed: ([String]) -> Bool) -> Bool {
    let address = [["street"], ["code"], ["country"], ["country", "name"], ["country", "tax"]]
    let inner = names.last == "country" ? [["name"], ["tax"]] : address
    return inner.allSatisfy { isAllowed(names + $0) }
  }
}
