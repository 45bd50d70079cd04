// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// Copies of realms, which are new files of their own.
enum RealmCopy {
  /// Writes a compact copy of the committed data of a realm.
  ///
  /// - Throws: `CoreError` FILE_EXISTS, UNSUPPORTED, IN_WRITE_TRANSACTION; `StorageError`.
  static func write(_ realm: Realm, to destination: RealmConfiguration) throws {
    try realm.requireOpen()
    guard !realm.isInWrite else {
      throw CoreError(
        .inWriteTransaction,
        "A copy has the committed data. Commit the write transaction first."
      )
    }
    guard case .file(let path) = destination.location else {
      throw CoreError.invalidArgument("A copy needs the path of a file.")
    }
    if let user = destination.user, destination.isDefaultLocation { try FileSystem.makeFolder(user.folder) }
    let source = Realm.fileConfiguration(realm.coordinator, isReadOnly: true)
    try copy(try Database.open(source), of: realm.file.owner, to: path) {
      try $0.adopt(destination.owner)
    }
  }

  /// Makes a new realm file from a seed if there is no file yet.
  ///
  /// - Returns: whether it has made one.
  /// - Throws: `CoreError` UNSUPPORTED, `StorageError`.
  static func plant(_ seed: String, at path: String, for owner: RealmOwner) throws -> Bool {
    try RealmFiles.removeLeftovers(of: path)
    guard !DatabaseFiles.exist(at: path) else { return false }
    try DatabaseFiles.requireOurs(at: seed, .realm)
    var configuration = DatabaseConfiguration(location: .file(seed), application: .realm)
    configuration.isReadOnly = true
    let source = try Database.open(configuration)
    guard let seedOwner = try RealmFile.storedOwner(source) else {
      throw CoreError(.notADatabase, "The seed file '\(seed)' is no realm.")
    }
    do {
      try copy(source, of: seedOwner, to: path) { copy in
        if owner != .local, try copy.fileIdent() != nil {
          throw CoreError.unsupported(
            "The seed file '\(seed)' is the file of a device. Make a copy with writeCopy for a synced realm, and use that."
          )
        }
        try copy.adopt(owner)
      }
      return true
    } catch let error as CoreError where error.status == .fileExists {
      // Another process was faster.
      return false
    }
  }

  /// Copies a file, and lets `change` make it a realm of its own before anybody can see it.
  private static func copy(
    _ source: Database,
    of owner: RealmOwner,
    to path: String,
    _ change: (RealmFile) throws -> Void
  ) throws {
    guard !FileSystem.exists(path) else { throw CoreError.fileExists(path) }
    try RealmFiles.removeLeftovers(of: path)
    try RealmFiles.requirePossibleFile(at: path)
    // A name that neither a file of the program nor another process's copy has, and that is short enough.
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    let temporary = "\(folder)copy-\(ObjectIdGenerator.next()).realm"
    defer { try? DatabaseFiles.delete(at: temporary) }
    try DatabaseFiles.copy(source, to: temporary)
    do {
      let configuration = DatabaseConfiguration(location: .file(temporary), application: .realm)
      let file = try RealmFile.open(configuration, owner: owner)
      try file.database.write { try change(file) }
      try file.database.endWriteAheadLog()
    }
    try FileSystem.publish(temporary, as: path)
  }
}

extension CoreError {
  static func fileExists(_ path: String) -> CoreError {
    CoreError(.fileExists, "File at path '\(path)' already exists.")
  }
}
