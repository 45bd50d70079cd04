// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

extension Realm {
  /// The time to wait for another writer, in milliseconds.
  static let busyTimeoutMilliseconds: Int32 = 60_000

  /// Opens or creates a realm, declares its classes, and starts to sync if there is a user.
  ///
  /// - Throws: `CoreError`, `StorageError`.
  static func open(_ configuration: RealmConfiguration) throws -> Realm {
    try configuration.user?.requireLoggedIn()
    if let user = configuration.user, configuration.isDefaultLocation {
      try FileSystem.makeFolder(user.folder)
    }
    let coordinator = try RealmRegistry.coordinator(of: configuration.location)
    return try coordinator.openingLock.withLock {
      if let settings = configuration.sharedSettings { try coordinator.share(settings) }
      let newFiles = NewFiles()
      do {
        return try open(configuration, coordinator, newFiles)
      } catch {
        if !coordinator.hasHandles { newFiles.remove(at: coordinator.path) }
        throw error
      }
    }
  }

  private static func open(
    _ configuration: RealmConfiguration,
    _ coordinator: RealmCoordinator,
    _ newFiles: NewFiles
  ) throws -> Realm {
    defer { coordinator.leaveProcesses() }
    let file = try openSharedFile(configuration, coordinator, newFiles)
    if let shouldCompact = configuration.shouldCompact, !coordinator.isOpen {
      try file.compact(isAlone: coordinator.processes?.hasOthers != true, if: shouldCompact)
    }
    let classes = try SchemaUpdate(configuration, coordinator, file).perform()
    let schema = try RealmSchema(classes, store: file.objects, path: coordinator.path)
    let realm = try Realm(coordinator: coordinator, file: file, schema: schema)
    if configuration.sharedSettings == nil { coordinator.noteLooking(realm.handleNumber) }
    do {
      if let user = configuration.user { try realm.startSync(configuration, user) }
    } catch {
      realm.close()
      throw error
    }
    realm.refusesUnsubscribedObjects = configuration.user != nil && configuration.refusesUnsubscribedObjects
    realm.changesThreadInWrite = configuration.changesThreadInWrite
    realm.isReadOnly = configuration.isReadOnly
    realm.maximumActiveVersions = configuration.maximumActiveVersions
    realm.hasVersionedSchema = configuration.schemaMode.version != nil
    Log.write(.detail, "DB: opened '\(coordinator.path)'")
    Log.write(.trace, "DB: '\(coordinator.path)' shows version \(realm.seenVersion)")
    return realm
  }

  /// Opens the file, and enters this process into the table of those that have it open.
  private static func openSharedFile(
    _ configuration: RealmConfiguration,
    _ coordinator: RealmCoordinator,
    _ newFiles: NewFiles
  ) throws -> RealmFile {
    let isReadOnly = configuration.isReadOnly && configuration.user == nil
    if !coordinator.isInMemory {
      try RealmFiles.requirePossibleFile(at: coordinator.path, isReadOnly: isReadOnly)
      if let seedPath = configuration.seedPath {
        newFiles.hasPlanted = try RealmCopy.plant(seedPath, at: coordinator.path, for: configuration.owner)
      }
    }
    let database = fileConfiguration(coordinator, isReadOnly: isReadOnly)
    // Before the file is opened, because no other process can delete it from then on.
    let table = try coordinator.enterTable(owner: configuration.owner, isReadOnly: isReadOnly)
    if let table { newFiles.note(table, isFileThere: FileSystem.exists(coordinator.path)) }
    if let file = try openUnlessReset(database, configuration, coordinator) {
      try coordinator.joinProcesses(file, table)
      return file
    }
    // Which only a process that is alone can do.
    table?.leave()
    try RealmFiles.performReset(coordinator, owner: configuration.owner)
    let newTable = try coordinator.enterTable(owner: configuration.owner, isReadOnly: isReadOnly)
    let file = try RealmFile.open(database, owner: configuration.owner)
    try coordinator.joinProcesses(file, newTable)
    return file
  }

  /// Opens the file; nil if a manual client reset must first back it up and delete it.
  private static func openUnlessReset(
    _ database: DatabaseConfiguration,
    _ configuration: RealmConfiguration,
    _ coordinator: RealmCoordinator
  ) throws -> RealmFile? {
    let file = try RealmFile.open(database, owner: configuration.owner)
    guard configuration.user != nil, coordinator.session == nil else { return file }
    return try file.clientReset()?.stage == .manual ? nil : file
  }

  /// Returns the configuration for connections to a realm file.
  static func fileConfiguration(_ coordinator: RealmCoordinator, isReadOnly: Bool = false)
    -> DatabaseConfiguration
  {
    var configuration = DatabaseConfiguration(
      location: .file(coordinator.path),
      application: .realm,
      busyTimeoutMilliseconds: busyTimeoutMilliseconds
    )
    if coordinator.isInMemory { configuration.synchronous = .off }
    configuration.isReadOnly = isReadOnly
    return configuration
  }

  /// Runs the initial subscriptions if they are due, and ensures that there is a session.
  private func startSync(_ configuration: RealmConfiguration, _ user: User) throws {
    let store = try coordinator.startSubscriptions {
      let file = try RealmFile.open(Self.fileConfiguration(coordinator), owner: configuration.owner)
      coordinator.tellOfCommits(by: file)
      return SubscriptionStore(file, coordinator.processes)
    }
    if let initial = configuration.initialSubscriptions, initial.reruns,
      !RealmRegistry.wasOpened(coordinator.path)
    {
      try run(initial)
    }
    if try !store.isSetUp() {
      // Another process may be setting up the file as well.
      try coordinator.exclusively { try setUp(configuration, store) }
    }
    RealmRegistry.noteOpening(of: coordinator.path)
    try coordinator.startSession {
      try SyncSession.open(
        user: user,
        path: coordinator.path,
        coordinator: coordinator,
        startsSuspended: configuration.startsSuspended,
        schemaVersion: configuration.syncedSchemaVersion,
        rejectedWriteLimits: configuration.rejectedWriteLimits,
        clientResets: ClientResetObserver(configuration, coordinator)
      )
    }
  }
}

extension Realm {
  /// Completes the first opening of a file, unless it is.
  private func setUp(_ configuration: RealmConfiguration, _ store: SubscriptionStore) throws {
    if try store.isSetUp() { return }
    if let initial = configuration.initialSubscriptions, try store.latest().version == 0 { try run(initial) }
    try coordinator.inTurn(store.finishSetUp)
  }

  private func run(_ initial: RealmConfiguration.InitialSubscriptions) throws {
    let update = try SubscriptionUpdate(self, isLent: true)
    defer { update.close() }
    try initial.fill(self, update)
    _ = try update.commit()
  }
}

extension Schema {
  /// Whether declaring the other schema would change nothing.
  package func contains(_ other: Schema) -> Bool {
    other.classes.allSatisfy { declared in
      guard let known = self[declared.name], known.kind == declared.kind,
        known.primaryKey == declared.primaryKey
      else { return false }
      return declared.properties.allSatisfy { property in
        guard let column = known.property(named: property.name) else { return false }
        return column.agrees(with: property) && (column.isIndexed || !property.isIndexed)
      }
    }
  }

  /// Returns the instructions that declare what the other schema lacks.
  package func additions(to known: Schema) -> [Instruction] {
    let additions = classes.compactMap { declared -> ClassSchema? in
      guard let known = known[declared.name] else { return declared }
      var additions = declared
      additions.properties = declared.properties.filter { known.property(named: $0.name) == nil }
      return additions.properties.isEmpty ? nil : additions
    }
    return ObjectStore.declarations(of: Schema(additions)).filter { instruction in
      guard case .addTable(let name, _, _) = instruction else { return true }
      return known[name] == nil
    }
  }
}
