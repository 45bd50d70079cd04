// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore
import FlexSyncTestSupport
import FlexSyncWire

/// A run of a server and some clients in one thread: first with faults, then without until all states must be equal.
package final class Simulation {
  /// The time within which the world must become quiet once there are no more faults, in simulated milliseconds.
  /// Clients wait up to five minutes between attempts to connect, and detecting a dead connection takes a few more.
  private static let patience: UInt64 = 2 * 3_600_000
  /// The number of days after which the server forgets a client, if it does.
  static let maximumOfflineDays = 7
  private static let lookEvery: UInt64 = 10_000
  /// How long everything must stay equal.
  private static let calm: UInt64 = 400_000
  /// The maximum time until the server compacts its store.
  private static let compactionTime: UInt64 = 3_700_000

  let plan: Plan
  let world: SimulatedWorld
  let log: SimulationLog
  let ledger = Ledger()
  let roles: SimulatedRoles
  let oracle: ViewOracle
  let offlineWrites = OfflineWriteCheck()
  /// The role, by client, when it last had a session.
  var servedRoles: [Int: Int] = [:]
  /// The clients whose users' roles are narrowed while they are offline.
  var narrowed: Set<Int> = []
  /// The clients that have returned before their roles were restored.
  var returnedEarly: Set<Int> = []
  /// See `excusesForClosing`.
  var excusesAtConnection = 0
  /// The number of times that time has jumped, so that every client has been silent for long.
  var absencesForTooLong = 0
  let network: SimulatedNetwork
  var answers: AnswerCheck
  let server: SimulatedServer
  private(set) var clients: [SimulatedClient] = []
  /// The device that syncs as Realm's clients do; nil if the plan has none.
  private(set) var peer: PeerDevice?
  var report = SimulationReport()
  /// The first failure found.
  private(set) var failure: String?
  /// Whether a process that has died, or is planned to die, does so because its machine loses power.
  var losses: [Plan.Place: Bool] = [:]
  /// How long a process stays dead after it dies in the middle of an operation.
  var delays: [Plan.Place: UInt64] = [:]
  /// The view that each client requested last.
  var wantedViews: [ItemView?]

  /// Prepares the world of a plan.
  package init(_ plan: Plan, keepsLog: Bool = false) {
    self.plan = plan
    var random = SeededGenerator(seed: plan.seed)
    world = SimulatedWorld(random: random.split())
    log = SimulationLog(world.time, isKept: keepsLog)
    let allRoles = plan.roles + Array(repeating: 0, count: plan.peer?.realmCount ?? 0)
    roles = SimulatedRoles(allRoles, areSynced: plan.syncsRoles)
    oracle = ViewOracle(roles: allRoles)
    network = SimulatedNetwork(world.time, ways: Self.ways(plan, &random))
    answers = AnswerCheck(clientCount: network.ways.count)
    server = SimulatedServer(
      world,
      log: log,
      configuration: SimulationSchema.configuration(
        maximumOfflineDays: plan.hasResets ? Self.maximumOfflineDays : nil,
        isDevelopmentMode: plan.changesSchema
      ),
      roles: roles,
      random: &random
    )
    wantedViews = Array(repeating: nil, count: plan.clientCount)
    for number in 0..<plan.clientCount {
      clients.append(
        SimulatedClient(
          number,
          world,
          network: network,
          ledger: ledger,
          oracle: oracle,
          log: log,
          clientResetMode: plan.hasResets
            ? random.pick([.recover, .discard, .recoverOrDiscard, .manual]) : nil,
          random: &random
        )
      )
    }
  }

  /// Runs the simulation. Must be called only once.
  package func run() -> SimulationOutcome {
    let disks = [server.disk] + clients.map(\.disk)
    for disk in disks { SimulatedFileSystem.mount(disk) }
    SimulatedFileSystem.use(world)
    attempt {
      try begin()
      for step in plan.steps {
        runTime(until: step.time)
        if failure != nil { return }
        try perform(step.action)
      }
      try heal()
      try waitForCalm()
    }
    finishReport()
    let outcome = SimulationOutcome(seed: plan.seed, failure: failure, report: report, log: log.lines)
    crashAll()
    world.time.end()
    for disk in disks { SimulatedFileSystem.unmount(disk) }
    SimulatedFileSystem.use(nil)
    return outcome
  }

  func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      fail("\(error)")
    }
  }

  func fail(_ text: String) {
    guard failure == nil else { return }
    log.write("FAILURE \(text)")
    failure = text
  }

  private func runTime(until time: UInt64) {
    world.time.run(until: time) { failure != nil }
    if let failure = clients.lazy.compactMap(\.failure).first ?? peer?.failure { fail(failure.description) }
    checkAnswers()
  }

  private func checkAnswers() {
    for client in network.ways.indices {
      guard network.works(client) else {
        answers.forget(client)
        continue
      }
      if let overdue = answers.overdueAnswer(to: client, now: world.time.now) { fail(overdue) }
    }
  }

  // MARK: Beginning

  private func begin() throws {
    network.accept = { [unowned self] link, client in server.accept(link, client: client) }
    server.onTurn = { [unowned self] store in attempt { try integrated(store) } }
    server.onDeath = { [unowned self] in died(.server) }
    for client in clients {
      // The handlers must keep neither the client nor the simulation alive.
      client.onDeath = { [unowned self, unowned client] in died(.client(client.number)) }
      client.onReset = { [unowned self, unowned client] in
        offlineWrites.forget(client.number)
        // Some modes also discard sets that were not in force yet.
        wantedViews[client.number] = try client.wantedView()
      }
      client.onFileLeftToApp = { [unowned self, unowned client] in resetLater(client) }
      network.ways[client.number].onMessage = { [unowned self, unowned client] bytes, side in
        attempt {
          guard side == .server else { return try sent(bytes, by: client) }
          try received(bytes, by: client)
        }
      }
    }
    peer = try plan.peer.map(makePeer)
    try server.start()
    for client in clients { try client.start() }
    peer?.start()
  }

  private func integrated(_ store: ServerStore) throws {
    // The disk's faults are meant only for the server.
    try server.disk.withoutFaults {
      notePresence()
      let version = try store.currentVersion()
      if version > oracle.version {
        let entries = try store.history(after: oracle.version, through: version)
        oracle.integrated(entries)
        try roles.refresh()
        try offlineWrites.integrated(entries, oracle, role: roles.role)
      }
    }
  }

  private func notePresence() {
    let present = clients.map(\.number).filter(server.hasSession)
    for client in present { servedRoles[client] = roles.numbers[client] }
    noteEarlyReturns(Set(present))
  }

  /// Checks each message that reaches a client.
  private func received(_ bytes: [UInt8], by client: SimulatedClient) throws {
    let message = try ServerMessage.decode(bytes)
    log.write("client \(client.number) receives \(message.logText)")
    answers.received(message, by: client.number)
    try oracle.received(message, by: client.number)
    try client.disk.withoutFaults { try client.noteActiveView() }
  }

  private func sent(_ bytes: [UInt8], by client: SimulatedClient) throws {
    try sent(try ClientMessage.decode(bytes), on: client.number)
  }

  private func sent(_ message: ClientMessage, on way: Int) throws {
    answers.sent(message, by: way, now: world.time.now)
    guard log.isKept else { return }
    log.write("the server receives of client \(way) \(message.logText)")
  }

  /// Checks each message that arrives on the way of the device that syncs as Realm's clients do.
  func peerMessageArrived(_ bytes: [UInt8], from side: SimulatedLink.Side) throws {
    guard side == .server else { return try sent(try ClientMessage.decode(bytes), on: plan.clientCount) }
    answers.received(try ServerMessage.decode(bytes), by: plan.clientCount)
  }

  // MARK: Final checks

  private func waitForCalm() throws {
    // A client may still be about to be forgotten.
    if plan.hasResets { runTime(until: world.time.now + Self.lookEvery * 3) }
    let deadline = world.time.now + Self.patience
    while let problem = try unrest() {
      guard world.time.now < deadline else {
        throw SimulationFailure("not calm after \(Self.patience / 60_000) minutes without faults: \(problem)")
      }
      runTime(until: world.time.now + Self.lookEvery)
      if failure != nil { return }
    }
    for session in peer?.sessions ?? [] { session.waitForDownload() }
    runTime(until: world.time.now + Self.calm)
    if failure != nil { return }
    if let problem = try unrest() { throw SimulationFailure("calm did not last: \(problem)") }
    guard let store = server.store else { return }
    try StateChecks.checkTransactionsAreWhole(store.objects, "the server")
    try StateChecks.checkTransactionsAreThere(store.objects, ledger)
    try checkLeftovers(store)
  }

  /// Checks that no unneeded data are left in the files. If the plan requires it, first waits until the server has
  /// compacted its store.
  private func checkLeftovers(_ store: ServerStore) throws {
    for client in clients {
      guard let database = client.objects?.database else { continue }
      if let leftovers = try LeftoverChecks.leftovers(inClient: database) {
        throw SimulationFailure(leftovers)
      }
    }
    guard plan.waitsForCompaction else { return }
    runTime(until: world.time.now + Self.compactionTime)
    if failure != nil { return }
    if let leftovers = try LeftoverChecks.leftovers(inServer: store.database) {
      throw SimulationFailure(leftovers)
    }
  }

  /// Returns what is not as it must be at the end; nil if everything is.
  private func unrest() throws -> String? {
    guard let store = server.store else { return "the server does not run" }
    for client in clients {
      guard try client.isQuiet(), let objects = client.objects else {
        return "client \(client.number) has something to upload, or an unanswered subscription set"
      }
      try StateChecks.checkTransactionsAreWhole(objects, "client \(client.number)")
      guard let view = wantedViews[client.number] else { continue }
      let difference = try StateChecks.difference(
        objects,
        view,
        role: roles.role(of: client.number),
        hasMemos: client.wantsMemos(),
        server: store.objects
      )
      if let difference {
        return "client \(client.number) with \(view.query ?? "no items"): \(difference)"
      }
    }
    return try unrestOfPeer(store)
  }

  private func crashAll() {
    server.crash(.processKilled)
    for client in clients { client.crash(.processKilled) }
    peer?.stop()
  }
}
