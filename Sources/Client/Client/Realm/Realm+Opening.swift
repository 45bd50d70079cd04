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
      defer { coordinator.leaveProcesses() }
      let file = try openSharedFile(configuration, coordinator)
      if let shouldCompact = configuration.shouldCompact, !coordinator.isOpen {
        try file.compact(if: shouldCompact)
      }
      let classes = try SchemaUpdate(configuration, coordinator, file).perform()
      let schema = try RealmSchema(classes, store: file.objects, path: coordinator.path)
      let realm = try Realm(coordinator: coordinator, file: file, schema: schema)
      if configuration.sharedSettings == nil { coordinator.noteLooking(realm.handleNumber) }
      if let user = configuration.user { try realm.startSync(configuration, user) }
      realm.refusesUnsubscribedObjects = configuration.user != nil && configuration.refusesUnsubscribedObjects
      realm.changesThreadInWrite = configuration.changesThreadInWrite
      realm.isReadOnly = configuration.isReadOnly
      realm.maximumActiveVersions = configuration.maximumActiveVersions
      realm.hasVersionedSchema = configuration.schemaMode.version != nil
      Log.write(.detail, "DB: opened '\(coordinator.path)'")
      Log.write(.trace, "DB: '\(coordinator.path)' shows version \(realm.seenVersion)")
      return realm
    }
  }

  /// Opens the file, and enters this process into the table of those that have it open.
  private static func openSharedFile(_ configuration: RealmConfiguration, _ coordinator: RealmCoordinator)
    throws -> RealmFile
  {
    for _ in 0..<openingAttempts {
      if let seedPath = configuration.seedPath, !coordinator.isInMemory {
        try RealmCopy.plant(seedPath, at: coordinator.path, for: configuration.owner)
      }
      let known = RealmFiles.number(of: coordinator.path)
      let file = try openFile(configuration, coordinator)
      let opened = known ?? RealmFiles.number(of: coordinator.path)
      try coordinator.joinProcesses(file)
      // Another process may have deleted the realm before this one was in the table. From now on it cannot. A file of
      // another file system than the kernel's has no number.
      let isPresent = opened == RealmFiles.number(of: coordinator.path)
      let hasLog = configuration.isReadOnly || FileSystem.exists("\(coordinator.path)-wal")
      if opened == nil || isPresent && hasLog { return file }
    }
    throw CoreError(
      .busy,
      "'\(coordinator.path)' is being deleted or replaced by another process. Try again."
    )
  }

  /// How often a file is opened that another process deletes at the same moment.
  private static let openingAttempts = 8

  private static func openFile(_ configuration: RealmConfiguration, _ coordinator: RealmCoordinator) throws
    -> RealmFile
  {
    try RealmFiles.requireNoScrap(at: coordinator.path)
    let isReadOnly = configuration.isReadOnly && configuration.user == nil
    let database = fileConfiguration(coordinator, isReadOnly: isReadOnly)
    if let file = try openUnlessReset(database, configuration, coordinator) { return file }
    try RealmFiles.performReset(coordinator, owner: configuration.owner)
    return try RealmFile.open(database, owner: configuration.owner)
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
