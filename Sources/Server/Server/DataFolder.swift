// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncServerSupport
import FlexSyncStore
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The folder with all data of a server: a token key, and a subfolder with a store for each app.
public final class DataFolder {
  let path: String
  private let logger: Logger
  private var locks: [Int32] = []

  /// Opens a folder, creating it if it is missing.
  ///
  /// - Parameter logger: Receives a note of each store that is upgraded.
  /// - Throws: `FileError` if it cannot be created or written; `ServerError` if it is a file, a backup, or not restored
  ///   completely.
  public init(_ path: String, logger: Logger = .standardError) throws {
    self.path = path
    self.logger = logger
    guard try FileSystem.entry(at: path) != .file else {
      throw ServerError("\(path) is a file; --data names a folder")
    }
    try FileSystem.createDirectory(path)
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw FileError(operation: "write to", path: path)
    }
    try DataFolder.checkIsNoBackup(path)
    let unfinished = "\(path)/\(DataRestore.unfinishedName)"
    guard !FileSystem.isOccupied(unfinished) else {
      throw ServerError(
        "flexsyncd restore is writing to \(path), or was interrupted; if it does not run, empty the folder with "
          + "\(unfinished), and restore again"
      )
    }
  }

  /// Clients of a backup would not notice that the server has gone back in time.
  static func checkIsNoBackup(_ path: String) throws(ServerError) {
    guard !FileSystem.isOccupied("\(path)/\(BackupManifest.fileName)") else {
      throw ServerError("\(path) is a backup; make a data folder of it with flexsyncd restore")
    }
  }

  /// Opens a folder that must exist already.
  static func existing(_ path: String) throws -> DataFolder {
    try checkExists(path)
    return try DataFolder(path)
  }

  static func checkExists(_ path: String) throws(ServerError) {
    guard FileSystem.isDirectory(path) else { throw ServerError("the data folder \(path) does not exist") }
  }

  deinit { unlock() }

  /// Claims the folder for one server until `unlock` or until this object is released.
  ///
  /// - Throws: `ServerError` if another server uses it; `FileError`.
  func lockForServing() throws {
    let file = "\(path)/server.lock"
    guard let isFileLocked = lock(open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)) else {
      throw FileSystem.refusal(of: "lock", file, errno)
    }
    // Whoever deletes the file does not unlock the folder. Not every file system can lock folders.
    let isFolderLocked = lock(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) ?? true
    guard isFileLocked, isFolderLocked else {
      unlock()
      throw ServerError(
        "another server is using the data folder \(path); stop it, or choose another --data"
      )
    }
  }

  /// Locks an open file or folder.
  ///
  /// - Returns: False if another server has locked it; nil if it cannot be locked, with the reason in `errno`.
  private func lock(_ descriptor: Int32) -> Bool? {
    guard descriptor >= 0 else { return nil }
    locks.append(descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
    return errno == EWOULDBLOCK ? false : nil
  }

  /// Releases the folder.
  func unlock() {
    for lock in locks { close(lock) }
    locks = []
  }

  /// Returns the apps that have data in the folder, sorted.
  func appIDs() throws -> [String] { try DataFolder.appIDs(in: path) }

  /// Returns the apps that have data in a folder, sorted.
  static func appIDs(in path: String) throws -> [String] {
    try FileSystem.entries(of: path).filter {
      AppID.isValid($0) && FileSystem.isFile(storePath(in: path, appID: $0))
    }
  }

  /// Whether a server has used a folder, which may have no app yet.
  static func isUsed(_ path: String) -> Bool { FileSystem.isFile("\(path)/server.lock") }

  /// Whether a server is running on the folder.
  var isServed: Bool {
    let descriptors = [
      open("\(path)/server.lock", O_RDWR | O_CLOEXEC), open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
    ].filter { $0 >= 0 }
    defer { for descriptor in descriptors { close(descriptor) } }
    return descriptors.contains { flock($0, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK }
  }

  /// Opens the existing store of an app.
  ///
  /// - Throws: `ServerError` if the app has none.
  func openExistingStore(appID: String) throws -> ServerStore {
    try DataFolder.checkHasStore(in: path, appID: appID)
    return try ServerStore.open(storePath(appID: appID), appID: appID, logger: logger)
  }

  /// - Throws: `ServerError` if an app has no store.
  static func checkHasStore(in path: String, appID: String) throws {
    if AppID.isValid(appID) {
      if let loss = try lossOfStore(in: path, appID: appID) { throw loss }
      let store = storePath(in: path, appID: appID)
      if FileSystem.isFile(store) { return try FileSystem.checkIsReadable(store) }
    }
    throw ServerError(
      "the data folder \(path) has no app \"\(appID)\"; see flexsyncd apps list. A new app is "
        + "there once flexsyncd serve or flexsyncd import has used the folder"
    )
  }

  /// Returns the app that a command is about.
  ///
  /// - Parameter selection: The app's identifier or directory; nil if the folder has only one app.
  /// - Returns: The identifier, and the configuration if the directory was given.
  /// - Throws: `ServerError` if there is more than one app to choose from, or none; `ConfigurationError`.
  func app(_ selection: String?) throws -> (id: String, configuration: AppConfiguration?) {
    if let selection, !AppID.isValid(selection) || FileSystem.isDirectory(selection) {
      let configuration = try AppDirectory.load(selection)
      return (configuration.appID, configuration)
    }
    if let selection { return (selection, nil) }
    try DataFolder.checkStores(in: path)
    let apps = try appIDs()
    guard apps.count == 1 else {
      throw ServerError(
        apps.isEmpty
          ? "the data folder \(path) has no apps"
          : "the data folder \(path) has several apps; select one with --app: \(apps.joined(separator: ", "))"
      )
    }
    return (apps[0], nil)
  }

  /// The name of an app's store file within the app's folder.
  static let storeName = "data.sqlite"

  private func storePath(appID: String) -> String { DataFolder.storePath(in: path, appID: appID) }

  private static func storePath(in path: String, appID: String) -> String { "\(path)/\(appID)/\(storeName)" }

  /// The files of a server that a folder may have without having the data of an app, and what file systems put there.
  private static let companions: Set<String> = [
    "server.lock", "token.key", "token.key.new", FileSystem.lostAndFound,
  ]

  /// Checks that an app without a store may begin with an empty one: a store that was there before must not be replaced
  /// without a word, nor data be put into a folder of other files.
  ///
  /// - Throws: `ServerError` that says what to do.
  static func checkBeginning(in path: String, appID: String) throws {
    let store = storePath(in: path, appID: appID)
    guard FileSystem.isDirectory(path) else { return }
    if let loss = try lossOfStore(in: path, appID: appID) { throw loss }
    guard !FileSystem.isOccupied(store) else { return }
    let names = try FileSystem.entries(of: path)
    let isOurs = names.contains { AppID.isValid($0) && FileSystem.isFile(storePath(in: path, appID: $0)) }
    let others = try names.filter { name in
      try !companions.contains(name) && !isEmptyFolder("\(path)/\(name)")
    }
    guard isOurs || others.isEmpty else {
      throw ServerError(
        "\(path) has files (\(others.prefix(3).joined(separator: ", "))\(others.count > 3 ? ", …" : "")), but no data of "
          + "a server; check --data. To begin without users and data, choose a folder that is empty or does not exist"
      )
    }
  }

  /// Returns the error for an app that has files but no store; nil if it has a store, or nothing at all.
  private static func lossOfStore(in path: String, appID: String) throws -> ServerError? {
    let (folder, store) = ("\(path)/\(appID)", storePath(in: path, appID: appID))
    guard FileSystem.isDirectory(folder) else { return nil }
    let isOccupied = FileSystem.isOccupied(store)
    // A server that was killed during its first start may leave an empty store, but has not begun to keep records.
    guard !isOccupied || FileSystem.isFile(store) && FileSystem.isEmpty(store) else { return nil }
    let rest = try FileSystem.entries(of: folder).filter { !isOccupied || $0 == recordFolderName }
    guard !rest.isEmpty else { return nil }
    return ServerError(
      "\(store) is \(isOccupied ? "empty" : "missing"), but other files of the app are there "
        + "(\(rest.joined(separator: ", "))). Put the file back, or restore a backup with flexsyncd restore; to begin "
        + "without users and data, move \(folder) away"
    )
  }

  private static let recordFolderName = "records"

  /// The files and folders that a server puts next to the store of an app.
  private static let storeCompanions: Set<String> = [
    "\(storeName)-wal", "\(storeName)-shm", recordFolderName,
  ]

  /// Checks that each app of the folder has its store, for commands that would otherwise take no notice of an app that
  /// lost it.
  ///
  /// - Throws: `ServerError` that names the missing file and says what to do.
  static func checkStores(in path: String) throws {
    for name in try FileSystem.entries(of: path) where AppID.isValid(name) {
      guard FileSystem.isDirectory("\(path)/\(name)"),
        try FileSystem.entries(of: "\(path)/\(name)").contains(where: storeCompanions.contains),
        let loss = try lossOfStore(in: path, appID: name)
      else { continue }
      throw loss
    }
  }

  private static func isEmptyFolder(_ path: String) throws -> Bool {
    guard FileSystem.isDirectory(path) else { return false }
    return try FileSystem.entries(of: path).isEmpty
  }

  /// Whether a folder has the key that signs tokens. Without it, a server creates another one, and all users must log in
  /// again.
  public static func hasTokenKey(_ path: String) -> Bool { SigningKey.exists(in: path) }

  /// Returns the classes in the store of an app, or none if it has no store. Neither creates nor upgrades anything.
  static func storedSchema(in path: String, appID: String) throws -> Schema {
    try readOnlyStore(in: path, appID: appID)?.objects.schema ?? Schema()
  }

  /// Returns the store of an app for reading, or nil if it has none. Neither creates nor upgrades anything.
  static func readOnlyStore(in path: String, appID: String) throws -> ServerStore? {
    let store = storePath(in: path, appID: appID)
    guard FileSystem.isFile(store) else { return nil }
    // Opening for reading would take a truncated file for an empty one.
    try Database.checkContent(of: store)
    guard !FileSystem.isEmpty(store) else { return nil }
    try FileSystem.checkIsReadable(store)
    return try ServerStore.readOnly(file: store)
  }

  /// Opens the store of an app if it has one. Creates nothing otherwise, not even the folder.
  static func storeIfPresent(in path: String, appID: String, logger: Logger = .standardError) throws
    -> ServerStore?
  {
    guard AppID.isValid(appID), FileSystem.isFile(storePath(in: path, appID: appID)) else { return nil }
    return try DataFolder(path, logger: logger).openStore(appID: appID)
  }

  /// Returns the folder for the records of an app.
  static func recordFolder(in path: String, appID: String) -> String {
    "\(path)/\(appID)/\(recordFolderName)"
  }

  /// Opens the store of an app, creating it if it is missing, and says in the log if it does.
  ///
  /// - Parameter interruption: Interrupts statements of the store.
  /// - Throws: `ServerError` for an invalid identifier, so that no path can lead out of the folder, and if only the store
  ///   is missing.
  public func openStore(appID: String, interruption: Interruption? = nil) throws -> ServerStore {
    guard AppID.isValid(appID) else {
      throw ServerError("\"\(appID)\" is not a valid app identifier: it \(AppID.rule)")
    }
    let store = storePath(appID: appID)
    try DataFolder.checkBeginning(in: path, appID: appID)
    let isNew = !FileSystem.isFile(store) || FileSystem.isEmpty(store)
    try FileSystem.createDirectory("\(path)/\(appID)")
    // SQLite gives the accompanying files the same mode.
    try FileSystem.keepPrivate(store)
    for file in ["\(store)-wal", "\(store)-shm"] where FileSystem.isFile(file) {
      try FileSystem.keepPrivate(file)
    }
    let opened = try ServerStore.open(store, appID: appID, interruption: interruption, logger: logger)
    if isNew {
      logger.notice(
        "created \(store), which has no users and no data yet. If it should have some, stop the server and check --data",
        metadata: ["app": "\(appID)"]
      )
    }
    return opened
  }
}

extension ServerStore {
  /// Opens the store of an app. Tells the operator if that upgraded the file, because there is no simple way back.
  static func open(_ path: String, appID: String, interruption: Interruption? = nil, logger: Logger) throws
    -> ServerStore
  {
    let store = try ServerStore(path: path, interruption: interruption)
    if !store.database.upgrade.isEmpty {
      logger.notice(
        "upgraded the app's data.sqlite, which older versions cannot open any more",
        metadata: ["app": "\(appID)", "migrations": "\(store.database.upgrade.joined(separator: ", "))"]
      )
    }
    return store
  }
}
