// SPDX-License-Identifier: Apache-2.0

/// A MongoDB service of the app, whose collections a user can read and write without a realm.
///
/// The server decides whether it has such a service; `flexsyncd` has none, and answers each request with an `AppError`
/// whose `serverCode` is "ServiceNotFound".
public struct MongoClient: Sendable {
  /// The name of the service, such as "mongodb-atlas".
  public let name: String
  let user: User

  /// Returns a database of the service.
  public func database(named name: String) -> MongoDatabase { MongoDatabase(name: name, client: self) }
}

/// A database of a `MongoClient`.
public struct MongoDatabase: Sendable {
  public let name: String
  let client: MongoClient

  /// Returns a collection of the database.
  public func collection(withName name: String) -> MongoCollection {
    MongoCollection(name: name, database: self)
  }
}

extension User {
  /// Returns a MongoDB service of the app, for requests as this user.
  public func mongoClient(_ serviceName: String) -> MongoClient { MongoClient(name: serviceName, user: self) }
}
