// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

extension Realm {
  /// Begins a write transaction on the newest data.
  ///
  /// - Throws: `CoreError` IN_WRITE_TRANSACTION, `StorageError`.
  func beginWrite() throws {
    try requireOpen()
    defer { keepClaimInWrite() }
    try requireWritable()
    guard !isInWrite else {
      throw CoreError(.inWriteTransaction, "The realm is already in a write transaction.")
    }
    try requireFewVersions()
    let requested = requestedTurn?.take()
    requestedTurn = nil
    try coordinator.takeTurn(requested)
    do {
      // Nobody else in this process commits during the turn.
      if !observers.isEmpty { try prepareObserversForWriting() }
      try startWriting()
    } catch {
      coordinator.endTurn()
      if store.database.transactionState == .none { try restartReading() }
      throw error
    }
    writeLog.begin()
    store.recorder?.reset()
    file.hasChangedRejectedWrites = false
    do {
      let (touched, version) = try coordinator.advance(handleNumber, store.database) {}
      deliver(try adopt(version, touched))
    } catch {
      takeBackAfterFailure()
      throw error
    }
  }

  /// Lets the observers read old data before the transaction begins. Another process may commit until then.
  private func prepareObserversForWriting() throws {
    let isShared = coordinator.processes?.hasOthers == true
    observers.prepare(isShared ? .unknown : try coordinator.touched(sinceSnapshotOf: handleNumber))
  }

  private func requireFewVersions() throws {
    guard let maximumActiveVersions else { return }
    let count = coordinator.activeVersionCount
    guard count > maximumActiveVersions else { return }
    throw CoreError.unsupported(
      "Number of active versions (\(count)) in the Realm exceeded the limit of \(maximumActiveVersions)"
    )
  }

  /// Requests the turn for the next write transaction without waiting for other writers.
  ///
  /// - Parameter ready: called on any thread once `beginWrite` would not wait, possibly before this returns.
  /// - Returns: a token whose end gives up the turn unless a transaction has begun with it.
  /// - Throws: `CoreError` INVALID_ARGUMENT if a turn has been requested already, UNSUPPORTED.
  func requestWrite(_ ready: @escaping @Sendable () -> Void) throws -> NotificationToken {
    try requireOpen()
    try requireWritable()
    guard requestedTurn?.isOpen != true else {
      throw CoreError.invalidArgument(
        "The realm has already requested the turn for its next write transaction."
      )
    }
    let turn = coordinator.requestTurn(ready)
    requestedTurn = turn
    return NotificationToken { turn.withdraw() }
  }

  /// Runs `body`, which writes, within a turn: the one that the realm has requested, if there is one, or else a new one.
  /// A new one would wait for the requested one, which only this thread may be able to use.
  func inTurn<Result>(_ body: () throws -> Result) throws -> Result {
    guard let turn = requestedTurn?.current else { return try coordinator.inTurn(body) }
    try coordinator.takeTurn(turn)
    return try body()
  }

  /// Ties the realm to its thread until the write transaction ends, unless it may be handed over to another thread.
  private func keepClaimInWrite() { claim.keep(isInWrite && !changesThreadInWrite) }

  private func requireWritable() throws {
    guard !isReadOnly else { throw CoreError.unsupported("Can't perform transactions on read-only Realms.") }
    guard openUpdate?.isLent != true else {
      throw CoreError.unsupported(
        "No write transaction can begin while the initial subscriptions are being added. Begin it once the realm is open."
      )
    }
    try requireNotFrozen()
  }

  /// - Throws: `CoreError` UNSUPPORTED.
  func requireNotFrozen() throws {
    guard isFrozen else { return }
    throw CoreError.unsupported("Can't perform transactions on a frozen Realm")
  }

  private func startWriting() throws {
    if store.database.transactionState == .read { try store.database.endRead() }
    try store.database.beginWrite()
  }

  /// Commits the write transaction.
  ///
  /// - Parameters:
  ///   - silenced: the tokens of observers of this realm that are not told of the transaction.
  ///   - isOfProgram: whether the program has begun the transaction. Observers of the realm are told of it even if it has
  ///     changed nothing.
  /// - Throws: `CoreError` NOT_IN_WRITE_TRANSACTION, WRITE_REJECTED, INVALID_ARGUMENT for the token of another realm,
  ///   `StorageError`; the transaction then has no effect, but remains open after INVALID_ARGUMENT.
  func commitWrite(silencing silenced: [NotificationToken] = [], isOfProgram: Bool = true) throws {
    defer { keepClaimInWrite() }
    try requireTransaction("commit")
    guard silenced.allSatisfy({ $0.observer.map { $0.realm === self } ?? true }) else {
      throw CoreError.invalidArgument(
        "Incorrect Realm: only notifications for the Realm being modified can be skipped."
      )
    }
    let changes: [String: [Int64: ChangeRecorder.RowChange]]
    let notice: CommitNotice
    do {
      try requireSubscribedObjects()
      if isSynced { try store.eraseAsymmetricObjects() }
      changes = try store.recordedChanges()
      if let capture = writeLog.capture {
        try file.recordLocalChanges(capture.bytes, timestamp: Clock.syncTimestamp())
      }
      notice = try coordinator.commit(handleNumber, changes, store.database) {
        try store.database.commit()
        readAgain()
      }
    } catch {
      takeBackAfterFailure()
      throw error
    }
    if writeLog.hasDeclared { coordinator.forgetFrozen(seenVersion) }
    coordinator.endTurn()
    if let version = notice.version { seenVersion = version }
    let isUploadDue = writeLog.capture?.isEmpty == false
    CrashPoint.reached(.clientAfterCommit, if: isUploadDue)
    writeLog.end()
    becomeOutdated()
    notice.tellOthers()
    if file.hasChangedRejectedWrites { coordinator.noteRejectedWrites(by: handleNumber).tellOthers() }
    if isUploadDue { coordinator.session?.localVersionAdvanced() }
    var touched = TouchedRows(changes)
    touched.formUnion(notice.foreign)
    // What others have committed is known.
    if !notice.foreign.isEmpty { _ = try? noteDataVersion() }
    deliver(touched, isOwnCommit: isOfProgram, silenced: silenced)
  }

  /// Rolls back the writes.
  ///
  /// - Throws: `CoreError` NOT_IN_WRITE_TRANSACTION, `StorageError`.
  func cancelWrite() throws {
    defer { keepClaimInWrite() }
    try requireTransaction("cancel")
    try takeBack()
  }

  private func requireTransaction(_ action: String) throws {
    try requireOpen()
    guard isInWrite else {
      throw CoreError(.notInWriteTransaction, "There is no write transaction to \(action).")
    }
    guard migration == nil else {
      throw CoreError.unsupported("The transaction of a migration ends with its callback.")
    }
  }

  /// Rolls back after a failed commit, whose error is the one that counts. If the rollback fails too, the next use
  /// of the realm reports it.
  private func takeBackAfterFailure() {
    do {
      try takeBack()
    } catch {
      Log.write(.error, "'\(coordinator.path)' cannot be used after a failed commit: \(error)")
    }
  }

  /// Ends a write transaction that was canceled or could not be committed. Classes that it declared remain.
  private func takeBack() throws {
    let hasDeclared = writeLog.hasDeclared
    try rollBack()
    try restartReading()
    if hasDeclared { try restoreDeclarations() }
  }

  private func rollBack() throws {
    defer { coordinator.endTurn() }
    writeLog.cancel()
    if isInWrite { try store.database.rollback() }
  }

  /// Moves to the newest data and delivers notifications.
  ///
  /// - Returns: whether the data had changed.
  func refresh() throws -> Bool {
    try requireOpen()
    guard !isInWrite, !isFrozen else { return false }
    let (touched, version) = try coordinator.advance(
      handleNumber,
      store.database,
      before: observers.prepare,
      beginRead
    )
    let seen = try adopt(version, touched)
    deliver(seen)
    return !seen.isEmpty
  }

  /// Invalidates everything obtained from the realm, and moves to the newest data. An open write transaction is
  /// canceled.
  ///
  /// - Throws: `CoreError` UNSUPPORTED for a frozen realm, `StorageError`.
  func invalidate() throws {
    try requireOpen()
    try requireNotFrozen()
    if isInWrite { try cancelWrite() }
    writeLog.invalidate()
    becomeOutdated()
    _ = try refresh()
  }

  /// Delivers first reports that are due, without advancing.
  ///
  /// - Returns: whether there are newer data.
  func notify() throws -> Bool {
    try requireOpen()
    if !isInWrite { deliver(TouchedRows()) }
    return !isFrozen && coordinator.newestVersion > seenVersion
  }

  /// Replaces the callback for when `refresh` would have something to do; nil removes it.
  func notifyOfChanges(_ callback: (@Sendable () -> Void)?) {
    listener.set(callback)
    if callback != nil { coordinator.startWatching() }
  }

  /// Blocks until there are newer data than this handle's; returns false on timeout.
  ///
  /// - Throws: `CoreError` UNSUPPORTED for a frozen realm.
  func waitForChange(milliseconds: UInt64) throws -> Bool {
    let seen = try claim.run {
      try requireOpen()
      try requireLive()
      return seenVersion
    }
    coordinator.startWatching()
    guard let runtime = coordinator.session?.user.app.runtime else {
      return coordinator.waitForVersion(after: seen, milliseconds: milliseconds)
    }
    // Downloads arrive on the loop, which must keep running.
    guard !runtime.isInCallback else {
      throw CoreError.invalidArgument("A synced realm cannot be waited for on the event loop's thread.")
    }
    guard runtime.hosting == .poll else {
      return coordinator.waitForVersion(after: seen, milliseconds: milliseconds)
    }
    return try runtime.pump(forMilliseconds: milliseconds) { coordinator.newestVersion > seen }
  }

  /// Starts a snapshot of the newest data, in place of the present one if there is one.
  func beginRead() throws {
    if store.database.transactionState == .read { try store.database.endRead() }
    try store.database.beginRead()
  }

  /// Starts a new snapshot after a write transaction that failed or was canceled.
  private func restartReading() throws {
    let (touched, version) = try coordinator.advance(handleNumber, store.database, beginRead)
    becomeOutdated()
    // Others may have committed in the meantime.
    undelivered.formUnion(try adopt(version, touched))
  }

  /// Starts the snapshot that follows a commit. The commit has succeeded, so an error must not look like a failed
  /// commit; without a snapshot each statement reads the newest data until the next refresh tries again.
  private func readAgain() {
    do {
      try store.database.beginRead()
    } catch {
      Log.write(.warn, "'\(coordinator.path)' cannot be read after a commit: \(error)")
    }
  }

  /// Adopts a new snapshot.
  ///
  /// - Returns: the rows written since the last one.
  private func adopt(_ version: UInt64, _ touched: TouchedRows) throws -> TouchedRows {
    seenVersion = version
    let isForeign = try noteDataVersion() && touched.isEmpty
    if isForeign { coordinator.forgetFrozen(version) }
    let touched = isForeign ? .unknown : touched
    if !touched.isEmpty { becomeOutdated() }
    return touched
  }
}

extension Realm {
  /// Whether another connection has committed since the last call. Only for local realms, which a process may open
  /// without telling others what it changes. A synced file is often written where there are no objects.
  func noteDataVersion() throws -> Bool {
    guard !isSynced else { return false }
    let version = try store.database.withStatement("PRAGMA data_version") { try $0.step() ? $0.int(0) : 0 }
    defer { dataVersion = version }
    return version != dataVersion
  }
}
