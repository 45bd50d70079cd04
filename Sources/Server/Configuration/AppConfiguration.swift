// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// What the server knows about an app from its App Services directory.
public struct AppConfiguration: Sendable {
  /// The directory it was read from.
  public var directory: String
  /// The identifier that clients name, such as `tasktracker-abcde`.
  public var appID: String
  public var name: String
  public var providers: AuthenticationProviders
  /// Where the custom data of users are; nil if the app has none.
  public var customUserData: CustomUserDataConfiguration?
  public var sync: SyncConfiguration
  /// The classes declared by the schemas of the synced database.
  public var schema: Schema
  /// Which class the documents of a collection are.
  public var classByCollection: [String: String]
  /// Who may see and do what.
  package var rules: RuleBook
  /// What was found in the directory and does not do what it seems to say.
  public var warnings: [ConfigurationProblem]
  /// What the directory has and this server does not, with what that means for the app.
  public var notCarriedOver: [MissingPart]

  package init(
    directory: String,
    appID: String,
    name: String,
    providers: AuthenticationProviders,
    customUserData: CustomUserDataConfiguration? = nil,
    sync: SyncConfiguration,
    schema: Schema,
    classByCollection: [String: String],
    rules: RuleBook,
    warnings: [ConfigurationProblem] = [],
    notCarriedOver: [MissingPart] = []
  ) {
    self.directory = directory
    self.appID = appID
    self.name = name
    self.providers = providers
    self.customUserData = customUserData
    self.sync = sync
    self.schema = schema
    self.classByCollection = classByCollection
    self.rules = rules
    self.warnings = warnings
    self.notCarriedOver = notCarriedOver
  }
}

/// The content of `sync/config.json`.
public struct SyncConfiguration: Hashable, Sendable {
  public var isEnabled: Bool
  /// Whether clients may add classes and properties to the schema.
  public var isDevelopmentMode: Bool
  public var serviceName: String
  public var databaseName: String
  /// Fields that are queryable in every class that has them.
  public var queryableFields: [String]
  /// Fields that are queryable in one class, by class name.
  public var queryableFieldsByClass: [String: [String]]
  /// The field that every subscription must restrict to constants, if the app has one.
  public var indexedQueryableField: String?
  /// After how many days offline a client starts over; nil if it never does.
  public var maximumOfflineDays: Int?
  /// Whether clients must discard their unsynced changes in a client reset.
  public var isRecoveryModeDisabled: Bool
  /// The version of the schema, which clients have to name.
  public var schemaVersion: UInt64

  package init(
    isEnabled: Bool,
    isDevelopmentMode: Bool,
    serviceName: String,
    databaseName: String,
    queryableFields: [String],
    queryableFieldsByClass: [String: [String]],
    indexedQueryableField: String?,
    maximumOfflineDays: Int?,
    isRecoveryModeDisabled: Bool,
    schemaVersion: UInt64 = 0
  ) {
    self.isEnabled = isEnabled
    self.isDevelopmentMode = isDevelopmentMode
    self.serviceName = serviceName
    self.databaseName = databaseName
    self.queryableFields = queryableFields
    self.queryableFieldsByClass = queryableFieldsByClass
    self.indexedQueryableField = indexedQueryableField
    self.maximumOfflineDays = maximumOfflineDays
    self.isRecoveryModeDisabled = isRecoveryModeDisabled
    self.schemaVersion = schemaVersion
  }
}

extension AppConfiguration {
  /// The names of the fields of a class that subscriptions may use; the primary key always is one.
  public func queryableFields(of classSchema: ClassSchema) -> Set<String> {
    var names = Set(sync.queryableFieldsByClass[classSchema.name] ?? [])
    names.formUnion(sync.queryableFields)
    let properties = classSchema.properties.filter { $0.isQueryable || schema.holdsPoint($0) }
    names.formIntersection(properties.map(\.name))
    if let primaryKey = classSchema.primaryKey { names.insert(primaryKey.name) }
    return names
  }
}
