// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

// Other processes that have the file open (Docs/Storage.md).

extension RealmCoordinator {
  /// Enters this process into the table of those that have the file open, unless it is in it. The caller holds
  /// `openingLock`.
  ///
  /// - Returns: the table; nil if the process is in it, or if none can be made for a local realm. Its handles then look
  ///   for changes whenever they refresh.
  /// - Throws: `StorageError` of kind `busy` if another process is deleting the file, or if too many have it open; other
  ///   kinds for a synced realm.
  func enterTable(owner: RealmOwner, isReadOnly: Bool) throws -> ProcessTable? {
    guard !isInMemory, processes == nil else { return nil }
    do {
      return try ProcessTable(of: path)
    } catch let error as StorageError where error.kind != .busy && owner == .local {
      Log.write(
        isReadOnly ? .debug : .warn,
        "'\(path)': other processes' changes are noticed only when a realm refreshes: \(error)"
      )
      return nil
    }
  }

  /// Makes the commits of this process known to those in a table, and theirs to this one. The caller holds
  /// `openingLock`.
  ///
  /// - Parameters:
  ///   - file: the file, which is open but has not been read yet.
  ///   - table: what `enterTable` has returned.
  func joinProcesses(_ file: RealmFile, _ table: ProcessTable?) throws {
    guard !isInMemory else { return }
    if let table {
      // A file of an earlier format that cannot be changed has no records of commits.
      guard try file.hasTablesOfProcesses() else { return table.leave() }
      let foreign = ForeignCommits(table, file.database.configuration)
      state.withLock { state in
        state.foreign = foreign
        state.foreignRejectedWritesVersion = foreign.processes.rejectedWritesVersion
      }
    }
    tellOfCommits(by: file)
  }

  /// Tells other processes of each commit that is made through a connection.
  func tellOfCommits(by file: RealmFile) {
    let processes = processes
    // Whoever holds the connection may outlive the last handle.
    file.database.didCommit = { [weak processes] in processes?.noteCommit() }
  }

  /// The table of the processes that have the file open; nil if only this one can.
  var processes: ProcessTable? { state.withLock { $0.foreign?.processes } }

  /// Runs `body` while no other process runs such a `body` for the same file.
  func exclusively(_ body: () throws -> Void) throws {
    guard let processes else { return try body() }
    try processes.exclusively(body)
  }

  /// Leaves the table if no handle is open. The caller holds `openingLock`.
  func leaveProcesses() {
    let (foreign, watch) = state.withLock { state -> (ForeignCommits?, ProcessWatch?) in
      guard state.handles.isEmpty else { return (nil, nil) }
      defer { (state.foreign, state.watch) = (nil, nil) }
      return (state.foreign, state.watch)
    }
    watch?.cancel()
    foreign?.processes.leave()
  }

  /// Reports the commits of other processes to the handles as they happen, from now on. Without anybody who wants to know,
  /// a handle finds them when it refreshes.
  func startWatching() {
    state.withLock { state in
      guard let processes = state.foreign?.processes, state.watch == nil else { return }
      state.watch = ProcessWatch(processes) { [weak self] in self?.othersHaveCommitted() }
    }
  }

  private func othersHaveCommitted() {
    let (listeners, session, version) = state.withLock { state in
      do {
        try state.adoptNewestCommits()
      } catch {
        Log.write(.warn, "'\(path)': another process's changes cannot be read: \(error)")
      }
      if state.foreign?.processes.hasOthers == true, state.isNewestSeen(except: nil) { keepNewest(&state) }
      return (state.listenersToOthers(), state.session, state.log.newestVersion)
    }
    gate.open(version)
    for listener in listeners { listener.notify() }
    session?.fileChangedElsewhere()
  }

  /// Keeps the snapshot that a handle has just begun, in case it is frozen: there is no saying when another process
  /// outdates it.
  ///
  /// - Parameter begin: begins the handle's snapshot anew.
  func keepForOtherProcesses(_ state: inout State, _ database: Database, _ begin: () throws -> Void) throws {
    let attempts = 3
    for _ in 0..<attempts where state.foreign?.processes.hasOthers == true {
      if keepNewest(&state) { return }
      try begin()
      try state.adoptCommits(seenBy: database)
    }
  }

  /// Tells processes that have come during a commit without a record, and did not wait for its end.
  func tellNewcomers(_ state: inout State) {
    guard state.foreign?.processes.hasOthers == true else { return }
    do {
      try state.foreign?.recordUnknown()
    } catch {
      Log.write(.warn, "'\(path)': another process cannot be told of a commit: \(error)")
    }
  }

  /// Tells other processes that the open write transaction may change any object. The record is made even if there are
  /// none, because one may come before the commit.
  func recordRewriting(in database: Database) throws {
    try CommitRecords.append(.unknown, by: processes?.identity ?? 0, to: database)
  }

  /// Takes note of what other processes have committed between the commit of a handle and its next snapshot.
  func adoptCommitsAfterOwn(_ state: inout State, _ database: Database) -> TouchedRows {
    guard database.transactionState == .read else { return TouchedRows() }
    do {
      let foreign = try state.adoptCommits(seenBy: database)
      if state.foreign?.processes.hasOthers == true { keepNewest(&state) }
      return foreign
    } catch {
      // The commit has succeeded, and must not look as if it had failed.
      Log.write(.warn, "'\(path)': another process's changes cannot be read: \(error)")
      return .unknown
    }
  }
}

extension RealmCoordinator.State {
  /// Adds the commits of other processes that a connection sees to those of this process.
  @discardableResult
  mutating func adoptCommits(seenBy database: Database) throws -> TouchedRows {
    adopt(try foreign?.take(database))
  }

  /// Adds all commits of other processes so far.
  mutating func adoptNewestCommits() throws { adopt(try foreign?.takeNewest()) }

  @discardableResult
  private mutating func adopt(_ touched: TouchedRows?) -> TouchedRows {
    guard let touched, !touched.isEmpty else { return TouchedRows() }
    _ = log.append(touched, isForeign: true)
    return touched
  }

  /// Tells other processes what the open write transaction changes.
  func record(_ touched: TouchedRows, in database: Database) throws {
    guard let foreign, !touched.isEmpty else { return }
    try CommitRecords.append(touched, by: foreign.processes.identity, to: database)
  }

  /// Returns those to notify of what other processes have done.
  fileprivate mutating func listenersToOthers() -> [ChangeListener] {
    let version = foreign?.processes.rejectedWritesVersion ?? 0
    guard version == foreignRejectedWritesVersion else {
      foreignRejectedWritesVersion = version
      rejectedWritesVersion += 1
      return listeners(except: nil)
    }
    // The commits of this process are reported as they happen.
    return handles.values.filter { log.hasForeign(after: $0.seenVersion) }.map(\.listener)
  }
}

extension RealmFile {
  /// Whether the file has the tables that processes share. A file that is only read may be of an older format.
  fileprivate func hasTablesOfProcesses() throws -> Bool {
    try !database.configuration.isReadOnly
      || database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'flx_commits'") > 0
  }
}
