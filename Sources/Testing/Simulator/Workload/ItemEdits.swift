// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport

/// Random changes of items, applied to a client's objects as its app would make them.
struct ItemEdits {
  let objects: ObjectStore
  /// The version of the app that makes the changes, which determines the classes and properties it has.
  var appVersion = 0
  /// Whether the client is subscribed to memos.
  var knowsMemos = false
  var random: SeededGenerator
  /// Returns texts that occur nowhere else, which identify what was sent to which client.
  let makeToken: () -> String
  /// The instructions performed so far.
  var instructions: [Instruction] = []

  static let itemCount: Int64 = 10

  /// Makes one change.
  mutating func edit() throws {
    let item = SimulationSchema.item(random.number(in: 1...Self.itemCount))
    guard let table = try objects.table(named: SimulationSchema.item),
      let row = try objects.row(of: item.key, in: table)
    else { return try create(item) }
    let place = Place(item: item, table: table, row: row)
    if appVersion > 0, random.chance(30), try editAdditions(place) { return }
    switch random.number(in: 0...99) {
    case 0..<4: instructions += try objects.localErase(item)
    case 4..<24: try setField(place)
    case 24..<30: try perform(.addInteger(place.path("counter"), delta: random.number(in: -5...5)))
    case 30..<50: try editNames(place)
    case 50..<58: try editLabels(place)
    case 58..<66: try editOptions(place)
    case 66..<76: try editPlace(place)
    case 76..<86: try editStops(place)
    case 86..<91: try editSites(place)
    default: try editLinks(place)
    }
  }

  struct Place {
    let item: ObjectReference
    let table: ClassTable
    let row: Int64

    func path(_ field: String, _ steps: PathElement...) -> PropertyPath {
      PropertyPath(object: item, field: field, path: steps)
    }
  }

  mutating func perform(_ instruction: Instruction) throws {
    try objects.apply(instruction)
    instructions.append(instruction)
  }

  func column(_ place: Place, _ name: String) throws -> Column {
    guard let column = place.table.column(named: name) else {
      throw SimulationFailure("the class \(place.table.name) has no property \(name)")
    }
    return column
  }

  // MARK: Single values

  private mutating func create(_ item: ObjectReference) throws {
    try perform(.createObject(item))
    let owner = random.pick(ItemView.owners).map(Value.string) ?? .null
    try set(PropertyPath(object: item, field: "owner"), owner)
    try set(PropertyPath(object: item, field: "level"), .int(random.number(in: 0...9)))
    try set(PropertyPath(object: item, field: "title"), .string(makeToken()))
  }

  mutating func set(_ path: PropertyPath, _ value: Value) throws {
    try perform(.update(path, .value(value), .isDefault(false)))
  }

  private mutating func setField(_ place: Place) throws {
    switch random.number(in: 0...9) {
    case 0..<2: try set(place.path("owner"), random.pick(ItemView.owners).map(Value.string) ?? .null)
    case 2..<4: try set(place.path("level"), .int(random.number(in: 0...9)))
    case 4: try set(place.path("done"), .bool(random.chance(50)))
    case 5: try setAnything(place.path("anything"))
    case 6: try set(place.path("counter"), .int(random.number(in: 0...100)))
    default: try set(place.path("title"), .string(makeToken()))
    }
  }

  private mutating func scalar() -> Value {
    switch random.number(in: 0...6) {
    case 0: .null
    case 1: .int(random.number(in: -3...3))
    case 2: .double(Double(random.number(in: -3...3)) / 2)
    case 3: .bool(random.chance(50))
    case 4: .binary([1, 2, 3])
    case 5: .link(Link(className: SimulationSchema.item, key: .int(random.number(in: 1...Self.itemCount))))
    default: .string(makeToken())
    }
  }

  /// Sets a mixed value, occasionally to a collection, or changes the content of an existing collection.
  private mutating func setAnything(_ path: PropertyPath) throws {
    guard random.chance(40) else { return try set(path, scalar()) }
    let value: Value =
      random.chance(50)
      ? .list([scalar(), .list([scalar()])])
      : .dictionary([DictionaryEntry("a", scalar()), DictionaryEntry("b", .list([]))])
    for step in Instruction.placing(value, at: path, replacing: true) { try perform(step) }
  }

  // MARK: Collections of values

  private mutating func editNames(_ place: Place) throws {
    let count = try objects.listCount(row: place.row, column(place, "names"))
    try editList(count) {
      place.path("names", .index($0))
    } element: {
      .value(.string($0.makeToken()))
    }
    if count > 0, random.chance(3) { try perform(.clear(place.path("names"), .list)) }
  }

  mutating func editList(
    _ count: Int,
    path: (UInt32) -> PropertyPath,
    element: (inout ItemEdits) -> Payload
  ) throws {
    let size = UInt32(count)
    guard size > 0, !random.chance(45) else {
      let index = random.number(in: 0...size)
      return try perform(.arrayInsert(path(index), element(&self), priorSize: size))
    }
    let index = random.number(in: 0...size - 1)
    let to = random.number(in: 0...size - 1)
    switch random.number(in: 0...2) {
    case 0: try perform(.arrayErase(path(index), priorSize: size))
    case 1 where to != index: try perform(.arrayMove(path(index), to: to, priorSize: size))
    default: try perform(.update(path(index), element(&self), .priorSize(size)))
    }
  }

  private mutating func editLabels(_ place: Place) throws {
    let label = Value.string(random.pick(["red", "green", "blue"]))
    switch random.number(in: 0...9) {
    case 0: try perform(.clear(place.path("labels"), .set))
    case 1..<4: try perform(.setErase(place.path("labels"), .value(label)))
    default: try perform(.setInsert(place.path("labels"), .value(label)))
    }
  }

  private mutating func editOptions(_ place: Place) throws {
    let path = place.path("options", .name(random.pick(["", "a", "b"])))
    switch random.number(in: 0...9) {
    case 0: try perform(.clear(place.path("options"), .dictionary))
    case 1..<3: try perform(.update(path, .erased, .isDefault(false)))
    default: try setAnything(path)
    }
  }

  private mutating func editLinks(_ place: Place) throws {
    let target = SimulationSchema.item(random.number(in: 1...Self.itemCount))
    let link = Value.link(Link(className: target.table, key: target.key))
    guard try objects.row(of: target) != nil else { return try create(target) }
    if random.chance(30) {
      return try set(place.path("friend"), random.chance(30) ? .null : link)
    }
    let count = try objects.listCount(row: place.row, column(place, "friends"))
    try editList(count) {
      place.path("friends", .index($0))
    } element: { _ in
      .value(link)
    }
  }

  // MARK: Embedded objects

  private mutating func editPlace(_ place: Place) throws {
    let path = place.path("place")
    let isThere = try objects.storedValue(row: place.row, column(place, "place")) != .null
    guard isThere, !random.chance(25) else {
      try perform(.update(path, .object, .isDefault(false)))
      return try fill(path)
    }
    if random.chance(15) { return try set(path, .null) }
    try fill(path)
  }

  /// Sets a field of an embedded object.
  private mutating func fill(_ path: PropertyPath) throws {
    if random.chance(50) { return try set(path.appending(.name("street")), .string(makeToken())) }
    try set(path.appending(.name("number")), .int(random.number(in: 0...99)))
  }

  private mutating func editStops(_ place: Place) throws {
    let size = UInt32(try objects.listCount(row: place.row, column(place, "stops")))
    func path(_ index: UInt32) -> PropertyPath { place.path("stops", .index(index)) }
    guard size > 0, !random.chance(40) else {
      let index = random.number(in: 0...size)
      try perform(.arrayInsert(path(index), .object, priorSize: size))
      return try fill(path(index))
    }
    let index = random.number(in: 0...size - 1)
    if random.chance(30) { return try perform(.arrayErase(path(index), priorSize: size)) }
    try fill(path(index))
  }

  private mutating func editSites(_ place: Place) throws {
    let key = random.pick(["home", "work"])
    let path = place.path("sites", .name(key))
    let site = try objects.dictionaryValue(of: key, row: place.row, column(place, "sites"))
    let isThere = site != nil && site != .null
    if isThere, random.chance(20) { return try perform(.update(path, .erased, .isDefault(false))) }
    if !isThere || random.chance(20) {
      // Null first, as the API does: two clients that put an object there concurrently then agree (protocol §7.3).
      try set(path, .null)
      try perform(.update(path, .object, .isDefault(false)))
    }
    try fill(path)
  }
}
