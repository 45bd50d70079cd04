// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncQuery
import FlexSyncStorage
import FlexSyncTransport
import Logging
import Testing

@testable import FlexSyncServer

/// A server without a network and without chance: its clock stands still and its salts are known, so that equal
/// requests get equal bytes as long as nothing differs that the answers depend on.
final class AttackedServer {
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

  let engine: SyncEngine
  let loop: EventLoop
  let loads: UserLoads
  let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  private let folder = TemporaryDirectory()

  /// - Parameter attacker: what the user "attacker" may do; all others may do everything.
  init(_ attacker: Permissions, limits: DeliveryLimits = DeliveryLimits()) throws {
    let sync = SyncConfiguration(
      isEnabled: true,
      isDevelopmentMode: false,
      serviceName: "db",
      databaseName: "people",
      queryableFields: ["name", "team", "salary"],
      queryableFieldsByClass: [:],
      indexedQueryableField: nil,
      maximumOfflineDays: nil,
      isRecoveryModeDisabled: false
    )
    let app = AppConfiguration(
      directory: "",
      appID: "people",
      name: "people",
      providers: AuthenticationProviders(),
      sync: sync,
      schema: AttackedServer.schema,
      classByCollection: [:],
      rules: .open
    )
    let permissions = PermissionTable()
    permissions.users["attacker"] = attacker
    loop = try EventLoop()
    loads = UserLoads(limits: ServerLimits())
    var salt: Int64 = 4711
    engine = try SyncEngine(
      app: app,
      store: ServerStore(path: "\(folder.path)/data.sqlite"),
      clock: WallClock { 1_800_000_000_000 },
      limits: limits,
      logger: logger,
      salts: SaltSource {
        salt += 1
        return salt
      },
      permissions: permissions
    )
  }

  deinit {
    loop.stop()
    loop.run()
  }

  static func person(_ number: Int64) -> ObjectReference {
    ObjectReference(table: "Person", key: .int(number))
  }

  static func newPerson(_ number: Int64, team: String?, salary: Int64 = 0, notes: [String] = [])
    -> [Instruction]
  {
    let object = person(number)
    let additions = notes.enumerated().map { index, note in
      Instruction.arrayInsert(
        FlexSyncChangeset.PropertyPath(object: object, field: "notes", path: [.index(UInt32(index))]),
        .value(.string(note)),
        priorSize: UInt32(index)
      )
    }
    return [
      .createObject(object), TaskTracker.set("name", .string("person \(number)"), of: object),
      TaskTracker.set("team", team.map(Value.string) ?? .null, of: object),
      TaskTracker.set("salary", .int(salary), of: object),
    ] + additions
  }

  /// What a role allows with people.
  static func role(
    read: String = "TRUEPREDICATE",
    write: String? = nil,
    insert: Bool = true,
    delete: Bool = true,
    readable: FieldAccess = .all,
    writable: FieldAccess? = nil
  ) throws -> ClassPermission {
    try ClassPermission.role(
      "attacker",
      of: "Person",
      in: schema,
      read: read,
      write: write,
      insert: insert,
      delete: delete,
      readable: readable,
      writable: writable
    )
  }
}
