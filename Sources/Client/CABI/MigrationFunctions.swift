// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_migration_rename_property") @implementation
public func flx_migration_rename_property(
  _ realm: OpaquePointer,
  _ class_name: flx_string_t,
  _ old_name: flx_string_t,
  _ new_name: flx_string_t,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, error) {
    try $0.renameProperty(
      of: class_name.text("The name of a class"),
      from: old_name.text("The name of a property"),
      to: new_name.text("The name of a property")
    )
  }
}

@_cdecl("flx_migration_delete_class") @implementation
public func flx_migration_delete_class(
  _ realm: OpaquePointer,
  _ class_name: flx_string_t,
  _ out_deleted: Out<Bool>,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, writing: out_deleted, "out_deleted", error) {
    try $0.deleteClass(named: class_name.text("The name of a class"))
  }
}

@_cdecl("flx_realm_schema_version") @implementation
public func flx_realm_schema_version(_ realm: OpaquePointer, _ out_version: Out<UInt64>, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, writing: out_version, "out_version", error) { realm in
    try realm.requireOpen()
    return try realm.file.schemaVersion() ?? UInt64.max
  }
}

extension RealmConfiguration.SchemaMode {
  init(_ config: flx_realm_config_t) throws {
    switch config.schema_mode {
    case .FLX_SCHEMA_ADDITIVE: self = .additive
    case .FLX_SCHEMA_VERSIONED: self = .versioned(config.schema_version)
    case .FLX_SCHEMA_VERSIONED_OR_RESET: self = .versionedOrReset(config.schema_version)
    case .FLX_SCHEMA_FROM_FILE: self = .fromFile
    default: throw CoreError.invalidArgument("Unknown schema mode: \(config.schema_mode.rawValue).")
    }
    try check(config)
  }

  private var cName: String {
    switch self {
    case .additive: "FLX_SCHEMA_ADDITIVE"
    case .versioned: "FLX_SCHEMA_VERSIONED"
    case .versionedOrReset: "FLX_SCHEMA_VERSIONED_OR_RESET"
    case .fromFile: "FLX_SCHEMA_FROM_FILE"
    }
  }

  private func check(_ config: flx_realm_config_t) throws {
    switch self {
    case .additive: break
    case _ where config.user != nil:
      throw CoreError.invalidArgument(
        "A synced realm cannot be opened with schema_mode \(cName), because its file is never migrated and has classes that "
          + "the program declares: leave schema_mode at FLX_SCHEMA_ADDITIVE and give the classes. If the app on the server "
          + "has a schema version, set schema_version to it."
      )
    case .fromFile where config.class_count > 0:
      throw CoreError.invalidArgument("With FLX_SCHEMA_FROM_FILE, the configuration must have no classes.")
    case .versioned(.max), .versionedOrReset(.max):
      throw CoreError.invalidArgument("Cannot set schema version to \(UInt64.max) (FLX_NOT_VERSIONED)")
    case .versioned, .versionedOrReset, .fromFile: break
    }
  }
}

extension RealmConfiguration {
  static func migration(_ config: flx_realm_config_t, _ userdata: Userdata) -> Migration? {
    guard let callback = config.migration else { return nil }
    return { before, after, oldVersion in
      try CoreError.throwing(from: "flx_migration_t") { error in
        Handle.lend(before, to: "flx_migration_t") { before in
          Handle.lend(after, to: "flx_migration_t") { after in
            callback(userdata.pointer, before, after, oldVersion, error)
          }
        }
      }
    }
  }
}
