// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// One handle for a realm file: a separate connection that reads one snapshot until it is refreshed.
///
/// Confined to one thread at a time. Objects, lists and results keep their realm alive; closing it invalidates
/// them.
final class Realm {
  let coordinator: RealmCoordinator
  let file: RealmFile
  let store: ObjectStore
  let schema: RealmSchema
  let listener = ChangeListener()
  /// Keeps threads from using the realm simultaneously.
  let claim: ThreadClaim
  /// Whether the handle stays on its first snapshot and cannot write.
  var isFrozen: Bool { kind != .live }
  let kind: Kind
  private(set) var handleNumber: RealmCoordinator.HandleNumber
  /// The references that the program has. The realm is closed when it gives up the last one.
  let owners = OwnerCount()
  @exclusivity(unchecked) private(set) var isClosed = false

  /// Increases with every change to what this handle sees, its own writes included. Never 0.
  private(set) var stamp: UInt64 {
    get { stampCell.pointee }
    set { stampCell.pointee = newValue }
  }
  /// The address of the stamp, which objects read before every access.
  let stampCell: UnsafeMutablePointer<UInt64>
  /// The stamp at which everything read before became invalid.
  @exclusivity(unchecked) private(set) var viewStamp: UInt64 = 1
  /// The coordinator's version of the current snapshot.
  var seenVersion: UInt64 = 0
  /// SQLite's count of commits by other connections.
  var dataVersion: Int64 = 0
  /// The rows that this handle's write transaction wrote, with the stamps of the writes.
  @exclusivity(unchecked) var writeMarks = WriteMarks()
  /// The log of the write transaction, for the changeset and for the objects that it creates.
  let writeLog: WriteLog
  /// The subscription set update in progress.
  weak var openUpdate: SubscriptionUpdate?
  let observers = ObserverList()
  /// The rows that others wrote and that have not yet been reported to the observers.
  var undelivered = TouchedRows()
  /// The turn that was requested for the next write transaction.
  var requestedTurn: RequestedTurn?
  /// Whether a write transaction may continue on a thread other than the one that began it.
  var changesThreadInWrite = false
  /// Whether commits fail if the server would revert them because no subscription covers an object.
  var refusesUnsubscribedObjects = false
  /// Whether the handle cannot write.
  var isReadOnly = false
  /// The number of versions of the data that may be in use when a write transaction begins; nil for any.
  var maximumActiveVersions: Int?
  /// Whether changes of the schema other than new classes need a migration.
  var hasVersionedSchema = false
  /// The migration in which the program is using this handle.
  var migration: SchemaMigration?
  /// The subscriptions against which the last such commit was checked.
  var subscriptionCheck: SubscriptionCheck?
  /// The path, as borrowed by C.
  let lentPath: LentText
  /// The handle through which C holds the realm.
  let handleSlot: HandleSlot? = HandleSlot()

  enum Kind: Hashable {
    case live
    /// Stays on the snapshot with which it began: the data before a client reset or a migration.
    case before
    /// Shows one version of the data, and may be used by several threads. Does not count as a handle of the file, which
    /// stops syncing with the last of these.
    case frozen(version: UInt64)
  }

  /// - Parameter file: for a frozen realm, it reads the snapshot of the version.
  init(coordinator: RealmCoordinator, file: RealmFile, schema: RealmSchema, kind: Kind = .live) throws {
    self.kind = kind
    stampCell = .allocate(capacity: 1)
    stampCell.initialize(to: 1)
    self.coordinator = coordinator
    self.file = file
    store = file.objects
    self.schema = schema
    store.capture = file.isSynced ? ChangeCapture() : nil
    writeLog = WriteLog(store.capture)
    lentPath = LentText(coordinator.path)
    if case .frozen(let version) = kind {
      claim = ThreadClaim(waits: true)
      handleNumber = RealmCoordinator.noHandle
      seenVersion = version
      coordinator.beginFrozen(version)
      return
    }
    claim = ThreadClaim()
    store.recorder = ChangeRecorder()
    coordinator.tellOfCommits(by: file)
    handleNumber = coordinator.addHandle(listener)
    seenVersion = try coordinator.advance(handleNumber, file.database, beginRead).version
    _ = try noteDataVersion()
  }

  deinit {
    close()
    stampCell.deallocate()
    claim.deallocate()
  }

  /// Ends any write transaction, releases the snapshot and invalidates everything obtained from the realm.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    claim.keep(false)
    requestedTurn?.withdraw()
    becomeOutdated()
    observers.removeAll()
    listener.set(nil)
    do {
      switch store.database.transactionState {
      case .none: break
      case .read: try store.database.endRead()
      case .write:
        defer { coordinator.endTurn() }
        writeLog.cancel()
        try store.database.rollback()
      }
    } catch {
      // The connection ends anyway and SQLite rolls back; the program could do nothing about it.
      Log.write(.warn, "closing '\(coordinator.path)': \(error)")
    }
    subscriptionCheck = nil
    store.database.releaseStatements()
    if case .frozen(let version) = kind { coordinator.endFrozen(version) }
    coordinator.removeHandle(handleNumber)
  }

  var isInWrite: Bool { store.database.transactionState == .write }

  /// The number of the open write transaction; outside of one, that of the last invalidation.
  var currentTransaction: UInt64 { isInWrite ? writeLog.number : writeLog.era }

  /// Whether the realm was opened with a user.
  var isSynced: Bool { writeLog.capture != nil }

  // MARK: Checks

  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  @inline(__always)
  func requireOpen() throws {
    guard !isClosed else { throw CoreError(.objectInvalidated, "The realm is closed.") }
  }

  /// - Throws: `CoreError` UNSUPPORTED for a frozen realm.
  func requireLive() throws {
    guard !isFrozen else {
      throw CoreError.unsupported("Frozen Realms do not change and do not have change notifications.")
    }
  }

  /// - Throws: `CoreError` NOT_IN_WRITE_TRANSACTION.
  @inline(__always)
  func requireWrite() throws {
    try requireOpen()
    guard isInWrite else {
      throw CoreError(
        .notInWriteTransaction,
        "Objects can only be changed in a write transaction. Begin one first."
      )
    }
  }

  // MARK: Stamps

  /// Invalidates everything that was read before.
  func becomeOutdated() {
    stamp += 1
    viewStamp = stamp
    writeMarks.removeAll()
  }

  /// Records a write to a property of a row.
  @inline(__always)
  func noteWrite(_ info: ClassInfo, row: Int64, column: Int) {
    stamp += 1
    info.columnStamps[column] = stamp
    writeMarks.mark(info.key, row, stamp)
  }

  /// Records the creation or erasure of an object.
  func noteMembership(_ info: ClassInfo, row: Int64) {
    noteMembership(info)
    writeMarks.mark(info.key, row, stamp)
  }

  /// Records the creation of objects of which there are no handles yet.
  func noteMembership(_ info: ClassInfo) {
    stamp += 1
    info.membershipStamp = stamp
  }
}
