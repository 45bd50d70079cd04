// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// Reconciles the classes of a file that is being opened with those that the program declares. The caller holds the
/// coordinator's `openingLock`.
struct SchemaUpdate {
  private let configuration: RealmConfiguration
  private let coordinator: RealmCoordinator
  private let file: RealmFile
  private let declared: Schema

  init(_ configuration: RealmConfiguration, _ coordinator: RealmCoordinator, _ file: RealmFile) {
    self.configuration = configuration
    self.coordinator = coordinator
    self.file = file
    declared = Schema(configuration.classes.map(\.schema))
  }

  /// - Returns: The classes of the realm.
  /// - Throws: `CoreError` SCHEMA_MISMATCH, INVALID_SCHEMA_VERSION, ALREADY_OPEN, what a migration throws; `StorageError`.
  func perform() throws -> [DeclaredClass] {
    let isWritten = !file.database.configuration.isReadOnly
    switch configuration.schemaMode {
    case .fromFile: return try fileClasses
    case _ where !isWritten: return try readableClasses()
    case .additive: try add()
    case .versioned(let version): while try !reach(version, isReset: false) {}
    case .versionedOrReset(let version): while try !reach(version, isReset: true) {}
    }
    return configuration.classes
  }

  private var fileClasses: [DeclaredClass] {
    get throws { try file.objects.schema.classes.map(DeclaredClass.init) }
  }

  // MARK: Read-only files

  /// Returns the declared classes that the file has.
  private func readableClasses() throws -> [DeclaredClass] {
    if let version = configuration.schemaMode.version, let known = try file.schemaVersion(), version != known
    {
      throw CoreError(
        .invalidSchemaVersion,
        "Provided schema version \(version) does not equal last set version \(known)."
      )
    }
    let stored = try file.objects.schema
    try SchemaChanges(from: stored, to: declared).requireReadable()
    return configuration.classes.filter { stored[$0.schema.name] != nil }
  }

  // MARK: Additions

  /// Adds to the file those parts of the schema that it lacks. In a synced file this is a changeset like any other,
  /// and precedes the first one that needs it (protocol §10.1).
  private func add() throws {
    guard try !file.objects.schema.contains(declared) else { return }
    try coordinator.inTurn {
      try file.database.write {
        let additions = declared.additions(to: try file.objects.schema)
        try file.objects.declare(declared)
        guard file.owner != .local else { return }
        try file.recordLocalChanges(additions, timestamp: Clock.syncTimestamp())
      }
    }
  }

  // MARK: Versions

  /// Brings the file to a version of the schema.
  ///
  /// - Returns: false if another process has changed the version in the meantime.
  private func reach(_ version: UInt64, isReset: Bool) throws -> Bool {
    let known = try file.knownSchemaVersion()
    guard known != version else { return try keep(version, isReset: isReset) }
    guard let known else {
      return try write(from: nil, to: version) { try file.objects.declare(declared) }
    }
    if isReset { return try reset(from: known, to: version) }
    guard version > known else {
      throw CoreError(
        .invalidSchemaVersion,
        "Provided schema version \(version) is less than last set version \(known)."
      )
    }
    try requireClosed()
    guard let migration = configuration.migration else {
      return try write(from: known, to: version) {
        try coordinator.recordRewriting(in: file.database)
        let steps = SchemaMigration(file.objects, to: declared)
        _ = try steps.begin()
        try steps.finish()
      }
    }
    return try migrate(from: known, to: version, by: migration)
  }

  /// Adds new classes and indexes.
  private func keep(_ version: UInt64, isReset: Bool) throws -> Bool {
    let stored = try file.objects.schema
    let changes = SchemaChanges(from: stored, to: declared)
    if isReset, !changes.migrations.isEmpty { return try reset(from: version, to: version) }
    try changes.requireNoMigration()
    if stored.contains(declared), try file.schemaVersion() != nil { return true }
    return try write(from: version, to: version) {
      try SchemaChanges(from: try file.objects.schema, to: declared).requireNoMigration()
      try file.objects.declare(declared)
    }
  }

  private func reset(from known: UInt64, to version: UInt64) throws -> Bool {
    try requireClosed()
    return try write(from: known, to: version) {
      // Another process may have emptied the file for the same version, and written to it since.
      let changes = SchemaChanges(from: try file.objects.schema, to: declared)
      let isDone = known == version && changes.migrations.isEmpty
      if !isDone {
        try coordinator.recordRewriting(in: file.database)
        try file.objects.removeClasses()
      }
      try file.objects.declare(declared)
    }
  }

  private func requireClosed() throws {
    guard !coordinator.isOpen else {
      throw CoreError(.alreadyOpen, "Cannot migrate Realms that are already open.")
    }
  }

  /// Changes the schema in one transaction with its version.
  ///
  /// - Returns: false, without a change, if another process has changed the version in the meantime.
  private func write(from known: UInt64?, to version: UInt64, _ change: () throws -> Void) throws -> Bool {
    try coordinator.inTurn {
      try file.database.write {
        guard try file.knownSchemaVersion() == known else { return false }
        try change()
        try file.setSchemaVersion(version)
        return true
      }
    }
  }

  // MARK: Migrations by the program

  private func migrate(from known: UInt64, to version: UInt64, by migration: RealmConfiguration.Migration)
    throws
    -> Bool
  {
    let after = try openHandle([], .live)
    defer { after.close() }
    // No other process can write from here on, so that the second handle sees what the first one changes.
    try after.beginWrite()
    guard try after.file.knownSchemaVersion() == known else { return false }
    let before = try openHandle(try fileClasses, .before)
    defer { before.close() }
    after.store.recorder = nil
    let steps = SchemaMigration(after.store, to: declared)
    let interim = try steps.begin()
    try after.schema.attach(
      configuration.classes.map {
        DeclaredClass(schema: interim[$0.schema.name] ?? $0.schema, propertyNames: $0.propertyNames)
      },
      after.store
    )
    after.migration = steps
    try migration(before, after, known)
    after.migration = nil
    try steps.finish()
    try after.file.setSchemaVersion(version)
    try coordinator.recordRewriting(in: after.file.database)
    try after.commitWrite()
    return true
  }

  private func openHandle(_ classes: [DeclaredClass], _ kind: Realm.Kind) throws -> Realm {
    let file = try RealmFile.open(Realm.fileConfiguration(coordinator), owner: configuration.owner)
    let schema = try RealmSchema(classes, store: file.objects, path: coordinator.path)
    let realm = try Realm(coordinator: coordinator, file: file, schema: schema, kind: kind)
    realm.isReadOnly = realm.isFrozen
    return realm
  }
}

extension RealmFile {
  /// Returns the version of the schema; nil for a new file. Files of programs that do not number it have version 0.
  fileprivate func knownSchemaVersion() throws -> UInt64? {
    try schemaVersion() ?? (objects.schema.isEmpty ? nil : 0)
  }
}
