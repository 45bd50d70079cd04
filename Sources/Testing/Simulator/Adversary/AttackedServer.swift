// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncConfiguration
import FlexSyncCore
import FlexSyncEngine
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncTestSupport
import Synchronization

/// A deterministic server: its time, its network and its salts are derived from a seed, so equal requests get
/// identical bytes in response, as long as nothing differs that the responses depend on.
package final class AttackedServer {
  /// Counts servers to give their disks unique names, since several servers may be attacked concurrently.
  private static let serverCount = Atomic(0)
  /// The maximum number of clients. The first one has no network delay.
  private static let clientCount = 4

  let world: SimulatedWorld
  let network: SimulatedNetwork
  let log: SimulationLog
  private let disk: SimulatedDisk
  private let permissions: AttackerPermissions
  private let limits: DeliveryLimits
  private var process: ServerProcess?
  private var userIDs: [String] = []
  private var salt: Int64 = 4711

  /// - Parameters:
  ///   - attacker: The permissions of the user "attacker"; all other users have full access.
  ///   - seed: Determines the delays of messages; nil if they arrive immediately.
  package convenience init(_ attacker: Permissions, limits: DeliveryLimits = DeliveryLimits()) throws {
    try self.init(attacker, limits: limits, seed: nil, keepsLog: false)
  }

  init(_ attacker: Permissions, limits: DeliveryLimits, seed: UInt64?, keepsLog: Bool) throws {
    var random = SeededGenerator(seed: seed ?? 0)
    world = SimulatedWorld(random: random.split())
    log = SimulationLog(world.time, isKept: keepsLog)
    let ways = (0..<Self.clientCount).map { number in
      let random = random.split()
      // The server is done with each message before the next one arrives. Otherwise, hidden changes would decide, by the
      // work that they make, which messages it handles together.
      return seed == nil || number == 0
        ? NetworkWay.immediate(random: random) : NetworkWay(random: random, spacing: 1)
    }
    network = SimulatedNetwork(world.time, ways: ways)
    let number = Self.serverCount.add(1, ordering: .relaxed).newValue
    disk = SimulatedDisk(name: "attacked\(number)", seed: random.next())
    permissions = AttackerPermissions(attacker: attacker)
    self.limits = limits
    SimulatedFileSystem.mount(disk)
    network.accept = { [unowned self] link, client in accept(link, client: client) }
    try start()
  }

  deinit {
    process?.scheduler.stop()
    world.time.end()
    SimulatedFileSystem.unmount(disk)
  }

  // MARK: Lifecycle

  private func start() throws {
    disk.restart()
    // The pauses between the pieces of the server's work take no time. Otherwise hidden changes, which make work,
    // would decide whether a fault strikes before or after an answer.
    let scheduler = SimulatedScheduler(world.time, shortestTimer: 2) { [disk] in disk.isCrashed }
    process = try ServerProcess(
      Self.configuration,
      store: ServerStore(path: disk.path("data.sqlite")),
      scheduler: scheduler,
      world: world,
      limits: limits,
      logger: log.logger,
      salts: SaltSource { [unowned self] in
        salt += 1
        return salt
      },
      permissions: permissions
    )
  }

  /// Kills the process and restarts it. Its clients lose their connections.
  func restart() throws {
    disk.crash(.processKilled)
    process?.scheduler.stop()
    process = nil
    for client in userIDs.indices { network.breakConnection(client, noticedBy: [.client]) }
    try start()
  }

  /// Advances the simulated time.
  func run(milliseconds: UInt64) { world.time.run(until: world.time.now + milliseconds) }

  // MARK: Clients

  /// - Returns: The client's number in the network.
  func addClient(userID: String) -> Int {
    precondition(userIDs.count < Self.clientCount, "a server can be attacked by few clients")
    userIDs.append(userID)
    return userIDs.count - 1
  }

  private func accept(_ link: SimulatedLink, client: Int) -> SimulatedChannel? {
    process?.accept(link, userID: userIDs[client], subprotocol: nil)
  }
}

/// Gives the attacker its permissions, and all other users full access.
private struct AttackerPermissions: PermissionSource {
  let attacker: Permissions

  func permissions(of userID: String, schema: Schema) -> Permissions {
    userID == "attacker" ? attacker : .open(schema)
  }
}

// MARK: The app

extension AttackedServer {
  static let schema = Schema([
    ClassSchema(
      name: "Person",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "name", type: .string, isNullable: true),
        PropertySchema(name: "team", type: .string, isNullable: true),
        PropertySchema(name: "salary", type: .int),
        PropertySchema(name: "notes", type: .string, collection: .list),
        PropertySchema(name: "extra", type: .mixed, isNullable: true),
        PropertySchema(name: "home", type: .link, isNullable: true, linkTarget: "Place"),
        PropertySchema(name: "places", type: .link, collection: .list, linkTarget: "Place"),
      ]
    ),
    ClassSchema(
      name: "Place",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "street", type: .string, isNullable: true),
        PropertySchema(name: "code", type: .string, isNullable: true),
        PropertySchema(name: "marks", type: .string, collection: .list),
      ]
    ),
    ClassSchema(
      name: "Secret",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [PropertySchema(name: "name", type: .string, isNullable: true)]
    ),
    ClassSchema(
      name: "Reading",
      kind: .asymmetric,
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [PropertySchema(name: "name", type: .string, isNullable: true)]
    ),
  ])

  private static let configuration = AppConfiguration(
    appID: "people",
    schema: AttackedServer.schema,
    queryableFields: ["name", "team", "salary"]
  )

  package static func person(_ number: Int64) -> ObjectReference {
    ObjectReference(table: "Person", key: .int(number))
  }

  /// Returns the instruction that sets a property.
  static func set(_ field: String, _ value: Value, of object: ObjectReference) -> Instruction {
    .update(PropertyPath(object: object, field: field), .value(value), .isDefault(false))
  }

  package static func newPerson(_ number: Int64, team: String?, salary: Int64 = 0, notes: [String] = [])
    -> [Instruction]
  {
    let object = person(number)
    let additions = notes.enumerated().map { index, note in
      Instruction.arrayInsert(
        PropertyPath(object: object, field: "notes", path: [.index(UInt32(index))]),
        .value(.string(note)),
        priorSize: UInt32(index)
      )
    }
    return [
      .createObject(object), set("name", .string("person \(number)"), of: object),
      set("team", team.map(Value.string) ?? .null, of: object),
      set("salary", .int(salary), of: object),
    ] + additions
  }

  /// Returns access to all fields of a person except the given ones and some properties of places.
  package static func allExcept(_ names: Set<String>, inPlaces hidden: Set<String>) -> FieldAccess {
    var access = FieldAccess.allExcept(names)
    for name in ["home", "places"] where !names.contains(name) { access.set(name, to: .allExcept(hidden)) }
    return access
  }

  /// Returns the instructions that create a person's home and another place, or change their codes and marks.
  package static func newPlaces(_ number: Int64, code: String, marks: [String]) -> [Instruction] {
    let home = FlexSyncChangeset.PropertyPath(object: person(number), field: "home")
    let first = FlexSyncChangeset.PropertyPath(object: person(number), field: "places", path: [.index(0)])
    return [
      .update(home, .object, .isDefault(false)), .arrayInsert(first, .object, priorSize: 0),
      .update(first.appending(.name("street")), .value(.string("s")), .isDefault(false)),
    ]
      + [home, first].flatMap { place in
        [.update(place.appending(.name("code")), .value(.string(code)), .isDefault(false))]
          + marks.enumerated().map { index, mark in
            .arrayInsert(
              place.appending(.name("marks")).appending(.index(UInt32(index))),
              .value(.string(mark)),
              priorSize: UInt32(index)
            )
          }
      }
  }

  /// Returns the permissions of a role for people.
  package static func role(
    read: String = "TRUEPREDICATE",
    write: String? = nil,
    insert: Bool = true,
    delete: Bool = true,
    readable: FieldAccess = .all,
    writable: FieldAccess? = nil
  ) throws -> ClassPermission {
    func predicate(_ text: String) throws -> Predicate {
      try Query.parse(text).bind(to: schema, className: "Person").predicate
    }
    return ClassPermission(
      role: "attacker",
      read: try predicate(read),
      write: try predicate(write ?? read),
      insert: insert ? .always : .never,
      delete: delete ? .always : .never,
      readableFields: readable,
      writableFields: writable ?? readable
    )
  }
}
