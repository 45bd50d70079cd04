// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore

/// The current role of each client's user: the one assigned by the operator or, if roles are synced, the one in the
/// user's `Member` object, which any client may write.
final class SimulatedRoles: PermissionSource {
  /// The number of the role, by client.
  private(set) var numbers: [Int]
  private let initial: [Int]
  private let areSynced: Bool
  /// The server's store while the server is running.
  weak var store: ServerStore?

  init(_ numbers: [Int], areSynced: Bool) {
    self.numbers = numbers
    initial = numbers
    self.areSynced = areSynced
  }

  func role(of client: Int) -> ItemRole { ItemRole.all[numbers[client]] }

  func set(_ number: Int, for client: Int) { numbers[client] = number }

  /// Reads the roles from the server's store.
  func refresh() throws {
    guard areSynced else { return }
    for client in numbers.indices { numbers[client] = try storedNumber(of: client) }
  }

  private func storedNumber(of client: Int) throws -> Int {
    let member = SimulationSchema.member(client)
    guard let objects = store?.objects, let table = try objects.table(named: member.table),
      let column = table.column(named: "role"), let row = try objects.row(of: member.key, in: table),
      case .int(let number) = try objects.storedValue(row: row, column)
    else { return initial[client] }
    return Int(number)
  }

  // MARK: PermissionSource

  var customUserData: CustomUserDataPlace? {
    areSynced ? CustomUserDataPlace(className: SimulationSchema.member, userField: "_id") : nil
  }

  func permissions(of userID: String, schema: Schema) throws -> Permissions {
    var permissions = Permissions.open(schema)
    guard let client = numbers.indices.first(where: { SimulationSchema.userID($0) == userID }) else {
      return Permissions(classes: [:])
    }
    let number = areSynced ? try storedNumber(of: client) : numbers[client]
    permissions.classes[SimulationSchema.item] = try ItemRole.all[number].permission(
      number: number,
      schema: schema
    )
    return permissions
  }
}
