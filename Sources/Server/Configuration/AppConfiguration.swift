// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// The configuration of an app, read from its App Services directory.
public struct AppConfiguration: Sendable {
  /// The directory the configuration was read from.
  public var directory: String
  /// The identifier that clients send, such as `tasktracker-abcde`.
  public var appID: String
  public var name: String
  public var providers: AuthenticationProviders
  /// The location of the users' custom data; nil if the app has none.
  public var customUserData: CustomUserDataConfiguration?
  public var sync: SyncConfiguration
  /// The classes declared by the schemas of the synced database.
  public var schema: Schema
  /// The class of the documents in each collection.
  public var classByCollection: [String: String]
  /// The folders of the collections in the directory, by class.
  public var folderByClass: [String: String] = [:]
  /// The roles, which decide what each user may read and write.
  package var rules: RuleBook
  /// Settings in the directory that do not have the effect they appear to have.
  public var warnings: [ConfigurationProblem] = []
  /// The parts of the directory that this server does not support, and the consequences for the app.
  public var notCarriedOver: [MissingPart] = []
}

/// The content of `sync/config.json`.
public struct SyncConfiguration: Hashable, Sendable {
  public var isEnabled: Bool
  /// Whether clients may add classes and properties to the schema.
  public var isDevelopmentMode = false
  public var serviceName: String
  public var databaseName: String
  /// Fields that are queryable in every class that declares them.
  public var queryableFields: [String]
  /// Fields that are queryable in a single class, by class name.
  public var queryableFieldsByClass: [String: [String]] = [:]
  /// The field that every subscription must restrict to constants, if the app has one.
  public var indexedQueryableField: String?
  /// The number of days offline after which a client must start over; nil for no limit.
  public var maximumOfflineDays: Int?
  /// Whether clients must discard their unsynced changes in a client reset.
  public var isRecoveryModeDisabled = false
  /// The schema version, which clients must send.
  public var schemaVersion: UInt64 = 0
}

extension AppConfiguration {
  /// Creates an app that has no directory. All users may read and write everything; none can log in.
  package init(appID: String, schema: Schema, queryableFields: [String]) {
    self.init(
      directory: "",
      appID: appID,
      name: appID,
      providers: AuthenticationProviders(),
      sync: SyncConfiguration(
        isEnabled: true,
        serviceName: appID,
        databaseName: appID,
        queryableFields: queryableFields
      ),
      schema: schema,
      classByCollection: [:],
      rules: .open
    )
  }

  /// Returns the names of the fields of a class that subscriptions may use. The primary key is always among them.
  public func queryableFields(of classSchema: ClassSchema) -> Set<String> {
    var names = Set(sync.queryableFieldsByClass[classSchema.name] ?? [])
    names.formUnion(sync.queryableFields)
    let properties = classSchema.properties.filter { $0.isQueryable || schema.holdsPoint($0) }
    names.formIntersection(properties.map(\.name))
    if let primaryKey = classSchema.primaryKey { names.insert(primaryKey.name) }
    return names
  }
}
