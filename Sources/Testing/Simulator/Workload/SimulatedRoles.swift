// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore

/// Which role each client's user has now: the one that the operator says or, where roles are synced, the one that the
/// user's `Member` says, which any client may write.
final class SimulatedRoles: PermissionSource {
  /// The number of the role, by client.
  private(set) var numbers: [Int]
  private let initial: [Int]
  private let areSynced: Bool
  /// What the server has stored, while it runs.
  weak var store: ServerStore?

  init(_ numbers: [Int], areSynced: Bool) {
    self.numbers = numbers
    initial = numbers
    self.areSynced = areSynced
  }

  func role(of client: Int) -> ItemRole { ItemRole.all[numbers[client]] }

  func set(_ number: Int, for client: Int) { numbers[client] = number }

  /// Takes over what the server has stored.
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
