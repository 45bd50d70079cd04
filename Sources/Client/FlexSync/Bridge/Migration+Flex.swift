// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension _RealmHandle {
  /// Whether the realm has a class.
  func hasClass(named name: String) -> Bool {
    var info = flx_class_info_t()
    return name.withFlexString { flx_realm_find_class(pointer, $0, &info, nil) } == .FLX_STATUS_OK
  }

  /// The object in a row of a class as a dynamic object; nil if there is none.
  func dynamicObject(_ binding: _ClassBinding, row: Int64) -> DynamicObject? {
    var object: OpaquePointer?
    let link = flx_link_t(row: row, target_class: binding.classKey)
    trapOnFailure { flx_object_get_linked(pointer, link, &object, $0) }
    return object.map { wrap(DynamicObject.self, binding, takingOver: $0) }
  }

  func deleteData(ofClass name: String) -> Bool {
    var wasDeleted = false
    stopOnFailure { error in
      name.withFlexString { flx_migration_delete_class(pointer, $0, &wasDeleted, error) }
    }
    return wasDeleted
  }

  func renameProperty(ofClass className: String, from oldName: String, to newName: String) {
    stopOnFailure { error in
      className.withFlexString { className in
        oldName.withFlexString { oldName in
          newName.withFlexString { flx_migration_rename_property(pointer, className, oldName, $0, error) }
        }
      }
    }
  }

  /// Stops the program with the message of the failure, like an exception of the Realm Swift SDK.
  private func stopOnFailure(_ call: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) {
    if let failure = failure(of: call) { Misuse.stop(failure.message) }
  }
}

extension Realm.Configuration {
  /// Reads the version of the schema in the file, without changing the file.
  func readSchemaVersion() throws -> UInt64 {
    try requireInitialized()
    return try withFileRealm { realm in
      var version: UInt64 = 0
      try check { flx_realm_schema_version(realm, &version, $0) }
      return version == .max ? 0 : version
    }
  }

  private func requireInitialized() throws {
    var isFolder = ObjCBool(false)
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let attributes,
      attributes[.size] as? Int != 0 || attributes[.type] as? FileAttributeType != .typeRegular
    else {
      throw Realm.Error(
        code: .invalidDatabase,
        message: "Realm at path '\(path)' has not been initialized.",
        fileURL: fileURL
      )
    }
    guard attributes[.type] as? FileAttributeType != .typeRegular else { return }
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    throw Realm.Error(
      code: .fileAccess,
      message:
        "Failed to open Realm file at path '\(path)': it is \(isFolder.boolValue ? "a folder" : "no file").",
      fileURL: fileURL
    )
  }

  /// The program's classes of objects that the file has.
  var classesOfFile: [ObjectBase.Type] {
    guard syncConfiguration == nil, inMemoryIdentifier == nil, fileExists else { return [] }
    // What is wrong with the file shows when it is opened.
    let names = try? withFileRealm { _RealmHandle(LiveRealm($0, self, isOwned: false)).classNames }
    return names?.compactMap(ProgramClasses.named) ?? []
  }

  /// Passes the realm to `body` with the classes that its file has.
  private func withFileRealm<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    let realm = try withLocation { config in
      config.schema_mode = .FLX_SCHEMA_FROM_FILE
      config.read_only = true
      return try makeHandle { flx_realm_open(&config, &$0, $1) }
    }
    defer { flx_realm_release(realm) }
    return try body(realm)
  }

  /// Writes how the file gets the schema of the program.
  func writeSchema(to config: inout flx_realm_config_t) {
    config.read_only = readOnly
    config.schema_version = schemaVersion
    guard syncConfiguration == nil else { return }
    config.schema_mode = deleteRealmIfMigrationNeeded ? .FLX_SCHEMA_VERSIONED_OR_RESET : .FLX_SCHEMA_VERSIONED
    guard let migrationBlock else { return }
    let callback = MigrationCallback(block: migrationBlock, configuration: self)
    config.migration = callMigration
    config.migration_userdata = CallbackBox<MigrationCallback>.retained(callback)
    config.free_migration_userdata = freeCallbackBox
  }
}

private struct MigrationCallback: Sendable {
  let block: MigrationBlock
  let configuration: Realm.Configuration

  /// Runs the block, and returns the first error of what it did with the realm.
  func run(_ before: OpaquePointer, _ after: OpaquePointer, _ oldVersion: UInt64) -> StatusError? {
    let before = _RealmHandle(LiveRealm(before, configuration, isOwned: false))
    let after = _RealmHandle(LiveRealm(after, configuration, isOwned: false))
    // The file may have them under other names of properties.
    let types = configuration.objectTypes ?? after.classNames.compactMap(ProgramClasses.named)
    do {
      try after.bindPresent(DiscoveredClass.closure(of: types))
    } catch {
      Misuse.stop("\(error)")
    }
    block(Migration(before: before, after: after), oldVersion)
    return after.live.transactionFailure
  }
}

private let callMigration: flx_migration_t = { box, before, after, oldVersion, error in
  let failure = CallbackBox<MigrationCallback>.callback(in: box).run(before, after, oldVersion)
  guard let failure else { return .FLX_STATUS_OK }
  failure.write(to: &error.pointee)
  return failure.status
}
