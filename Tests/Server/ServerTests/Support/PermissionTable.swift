// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

@testable import FlexSyncRules

/// Permissions that a test sets.
final class PermissionTable: PermissionSource {
  /// By user id; all others may see and do everything.
  var users: [String: Permissions] = [:]
  var customUserData: CustomUserDataPlace?
  /// Called in place of looking into the table.
  var lookUp: ((String) throws -> Permissions)?

  func permissions(of userID: String, schema: Schema) throws -> Permissions {
    try lookUp?(userID) ?? users[userID] ?? .open(schema)
  }
}

extension Harness {
  /// Connects a client of a new user with a permission for tasks, or one who may see and do everything.
  ///
  /// - Parameter subscriptions: what the client asks for, in the form of a QUERY.
  func connect(_ permission: ClassPermission?, in table: PermissionTable, _ subscriptions: String) throws
    -> SyncClient
  {
    let tokens = try logIn()
    table.users[tokens.userID] = permission.map { Permissions(classes: ["Task": $0]) }
    let client = try SyncClient(self, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(subscriptions)
    try client.synchronize()
    return client
  }
}

extension ClassPermission {
  /// A role with filters in the query language.
  static func role(
    _ name: String = "member",
    of className: String = "Task",
    in schema: Schema = TaskTracker.schema,
    read: String = "TRUEPREDICATE",
    write: String? = nil,
    insert: Bool = true,
    delete: Bool = true,
    readable: FieldAccess = .all,
    writable: FieldAccess? = nil
  ) throws -> ClassPermission {
    func predicate(_ text: String) throws -> Predicate {
      try Query.parse(text).bind(to: schema, className: className).predicate
    }
    return ClassPermission(
      role: name,
      read: try predicate(read),
      write: try predicate(write ?? read),
      insert: insert ? .always : .never,
      delete: delete ? .always : .never,
      readableFields: readable,
      writableFields: writable ?? readable
    )
  }
}
