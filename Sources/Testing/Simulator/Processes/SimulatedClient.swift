// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport

/// A device in a simulation: the real session driver and the real file on a simulated disk, and an app that writes.
final class SimulatedClient: SimulatedMachine {
  /// The state that ends with the app's process.
  struct Process {
    let scheduler: SimulatedScheduler
    let coordinator: RealmCoordinator
    let session: SessionFile
    /// The connection of the app's thread.
    let file: RealmFile
    let driver: SessionDriver
  }

  let number: Int
  let disk: SimulatedDisk
  private let world: SimulatedWorld
  private let network: SimulatedNetwork
  let ledger: Ledger
  private let oracle: ViewOracle
  private let log: SimulationLog
  private var random: SeededGenerator
  private(set) var process: Process?
  private(set) var isSuspended = false
  /// The error of the device's clock, in milliseconds.
  var clockError: Int64 = 0
  /// The first failure; nil if there is none.
  private(set) var failure: SimulationFailure?
  /// The version of the app on the device.
  private(set) var appVersion = 0
  private(set) var rejectedWriteCount = 0
  private(set) var resetCount = 0
  /// Called when the disk has ended the process in the middle of an operation.
  var onDeath: (() -> Void)?
  /// Called when a client reset has completed.
  var onReset: (() throws -> Void)?
  /// Called when the app has been told to recreate its file.
  var onFileLeftToApp: (() -> Void)?
  /// Nil if the server has no reason to demand a reset.
  private let clientResetMode: ClientResetMode?
  /// The client version that the server had acknowledged before a reset.
  private var acknowledgedVersion: UInt64 = 0

  init(
    _ number: Int,
    _ world: SimulatedWorld,
    network: SimulatedNetwork,
    ledger: Ledger,
    oracle: ViewOracle,
    log: SimulationLog,
    clientResetMode: ClientResetMode?,
    random: inout SeededGenerator
  ) {
    self.number = number
    self.clientResetMode = clientResetMode
    self.world = world
    self.network = network
    self.ledger = ledger
    self.oracle = oracle
    self.log = log
    self.random = random.split()
    disk = SimulatedDisk(name: "client\(number)", seed: random.next())
  }

  var isRunning: Bool { process != nil }

  private var path: String { disk.path("tasks.flexsync") }
  private var owner: RealmOwner {
    .synced(appID: SimulationSchema.appID, userID: SimulationSchema.userID(number))
  }
  private var configuration: DatabaseConfiguration {
    DatabaseConfiguration(location: .file(path), application: .realm)
  }

  // MARK: Lifecycle

  /// Starts the process.
  ///
  /// - Throws: `StorageError` if the disk fails.
  func start() throws {
    disk.restart()
    let scheduler = SimulatedScheduler(world.time) { [disk] in disk.isCrashed }
    let host = SimulatedSessionHost(
      client: number,
      scheduler: scheduler,
      network: network,
      random: random.split()
    )
    if let clientResetMode { host.clientResetMode = clientResetMode }
    let coordinator = RealmCoordinator(path: path)
    let file = try RealmFile.open(configuration, owner: owner)
    try declareSchema(in: file)
    let session = try SessionFile(path: path, owner: owner, coordinator: coordinator)
    let driver = SessionDriver(host: host, file: session)
    host.onError = { [weak self] in self?.received($0) }
    host.onResetBegin = { [weak self] in try self?.resetBegins() }
    host.onResetEnd = { [weak self] in try self?.resetEnded($0) }
    scheduler.onTurnEnd = { [weak self] in self?.buryIfDead() }
    process = Process(
      scheduler: scheduler,
      coordinator: coordinator,
      session: session,
      file: file,
      driver: driver
    )
    isSuspended = false
    scheduler.turn { driver.start(isSuspended: false) }
  }

  private func declareSchema(in file: RealmFile) throws {
    let schema = SimulationSchema.schema(version: appVersion)
    guard try !file.objects.schema.contains(schema) else { return }
    try file.database.write {
      let additions = schema.additions(to: try file.objects.schema)
      try file.objects.declare(schema)
      try file.recordLocalChanges(additions, timestamp: timestamp)
    }
  }

  func end() {
    process?.scheduler.stop()
    process = nil
  }

  /// Milliseconds since 2015 on the device's clock.
  var timestamp: UInt64 {
    let now = world.unixMilliseconds + clockError - Int64(OriginStamp.epochOffsetMilliseconds)
    return UInt64(max(0, now))
  }

  private func received(_ error: SyncError) {
    log.write("client \(number): \(error.status) \(error.message)")
    switch error.status {
    case .writeRejected: rejectedWriteCount += error.compensatingWrites.count
    case .connectionFailed, .timedOut, .diskFull, .io: break
    case .clientReset where clientResetMode == .manual: onFileLeftToApp?()
    default:
      // Errors of a process whose disk has crashed do not count.
      guard !disk.isCrashed, failure == nil else { return }
      failure = SimulationFailure("client \(number): \(error.message) (status \(error.status.rawValue))")
    }
  }

  // MARK: Client resets

  private func resetBegins() throws {
    acknowledgedVersion = try process?.file.progress().upload.clientVersion ?? 0
  }

  private func resetEnded(_ fate: LocalChangesFate?) throws {
    log.write("client \(number): reset, changes \(fate.map { "\($0)" } ?? "lost, for it failed")")
    guard let fate, let objects else { return }
    resetCount += 1
    switch fate {
    case .recovered: ledger.mayRepeat(client: number, after: acknowledgedVersion)
    case .discarded:
      let keys = try StateChecks.keys(objects, SimulationSchema.journal)
      ledger.discardAll(of: number, except: keys)
    }
    try onReset?()
  }

  /// Recreates a file that was left to the app, as an app does before it opens the file.
  ///
  /// - Parameter reconcile: Called first with the keys of the transactions in the file.
  /// - Returns: Whether the file was left to the app.
  /// - Throws: `StorageError` if the disk fails.
  func resetFile(reconcile: (Set<String>) throws -> Void) throws -> Bool {
    disk.restart()
    guard clientResetMode == .manual, try noteWhatIsLost(reconcile) else { return false }
    guard try ManualReset.perform(configuration, owner: owner, makeFolder: { _ in }) else { return false }
    resetCount += 1
    return true
  }

  private func noteWhatIsLost(_ reconcile: (Set<String>) throws -> Void) throws -> Bool {
    let file = try RealmFile.open(configuration, owner: owner)
    guard try file.clientReset()?.stage == .manual else { return false }
    try reconcile(try StateChecks.keys(file.objects, SimulationSchema.journal))
    ledger.forget(client: number, after: try file.progress().upload.clientVersion)
    return true
  }

  // MARK: App

  func suspend() {
    guard let process else { return }
    isSuspended = true
    process.scheduler.turn { process.driver.suspend() }
  }

  func resume() {
    guard let process, isSuspended else { return }
    isSuspended = false
    process.scheduler.turn { process.driver.resume() }
  }

  /// Installs the next version of the app on the device. A file that cannot be changed now gets the new schema at the
  /// next start of the app.
  func upgrade() throws {
    guard let process else { return }
    appVersion += 1
    try process.coordinator.inTurn { try declareSchema(in: process.file) }
    process.scheduler.turn { process.driver.localVersionAdvanced() }
  }

  /// Requests a view, in a set together with the classes that every client subscribes to.
  func subscribe(to view: ItemView) throws {
    guard let process else { return }
    var queries = [
      (SimulationSchema.board, "TRUEPREDICATE"), (SimulationSchema.journal, "TRUEPREDICATE"),
      (SimulationSchema.member, "TRUEPREDICATE"), (SimulationSchema.witness, "TRUEPREDICATE"),
    ]
    if let query = view.query { queries.append((SimulationSchema.item, query)) }
    if try process.file.objects.table(named: SimulationSchema.memo) != nil, appVersion >= 2 {
      queries.append((SimulationSchema.memo, "TRUEPREDICATE"))
    }
    let now = Timestamp(milliseconds: world.unixMilliseconds + clockError)
    let subscriptions = queries.map { className, query in
      StoredSubscription(
        id: ObjectId(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())),
        name: nil,
        className: className,
        query: query,
        createdAt: now
      )
    }
    let latest = try process.file.latestSubscriptionSet().version
    oracle.subscribed(number, to: view, set: latest + 1)
    let set = try process.file.addSubscriptionSet(subscriptions)
    log.write("client \(number): set \(set.version) \(view.query ?? "-")")
    process.scheduler.turn { process.driver.subscriptionSetCommitted() }
  }

  // MARK: Inspection

  /// The objects of the device; nil if the app is not running.
  var objects: ObjectStore? { process?.file.objects }

  /// Returns whether everything is uploaded and every subscription set is answered.
  func isQuiet() throws -> Bool {
    guard let file = process?.file, !isSuspended else { return false }
    let state = try file.latestSubscriptionSet().state
    return try file.newestPendingUpload() == nil && (state == .complete || state == .error)
  }

  /// Returns whether the newest subscription set is in force.
  func hasAnswer() throws -> Bool {
    try process?.file.latestSubscriptionSet().state == .complete
  }

  /// Notifies the oracle of the view that is in force.
  func noteActiveView() throws {
    guard let set = try process?.file.activeSubscriptionSet() else { return }
    oracle.activated(number, set: set.version)
  }

  /// Returns whether the newest subscription set in the file includes memos.
  func wantsMemos() throws -> Bool {
    guard let set = try process?.file.latestSubscriptionSet() else { return false }
    return set.subscriptions.contains { $0.className == SimulationSchema.memo }
  }

  /// Returns the view of the newest subscription set in the file; nil before the app has requested one.
  func wantedView() throws -> ItemView? {
    try process.flatMap { view(of: try $0.file.latestSubscriptionSet()) }
  }

  private func view(of set: StoredSubscriptionSet) -> ItemView? {
    guard set.version > 0 else { return nil }
    let query = set.subscriptions.first { $0.className == SimulationSchema.item }?.query
    return (0..<ItemView.count).lazy.map(ItemView.init).first { $0.query == query }
  }
}
