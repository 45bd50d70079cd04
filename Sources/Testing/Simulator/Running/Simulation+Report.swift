// SPDX-License-Identifier: Apache-2.0

extension Simulation {
  /// Adds up the counts of everything that happened.
  func finishReport() {
    report.count("runs")
    report.count("events", world.time.eventCount)
    report.count("simulated seconds", Int(world.time.now / 1000))
    report.count("transactions", ledger.transactions.count)
    report.count("messages", network.ways.reduce(0) { $0 + $1.messageCount })
    report.count("message bytes", network.ways.reduce(0) { $0 + $1.byteCount })
    report.count("texts checked against views", oracle.checkedTextCount)
    report.count("offline writes checked after a role was narrowed", offlineWrites.checkedCount)
    report.count("server history entries", Int(oracle.version))
    report.count(
      "realms that share a connection",
      plan.peer.map { $0.realmCount > 1 ? $0.realmCount : 0 } ?? 0
    )
    report.count("client resets", clients.reduce(0) { $0 + $1.resetCount })
    report.count("rejected writes", clients.reduce(0) { $0 + $1.rejectedWriteCount })
    report.count(
      "transactions lost with the power of a device",
      ledger.transactions.count { $0.fate == .lost }
    )
    for disk in [server.disk] + clients.map(\.disk) {
      report.count("failed disk operations", disk.statistics.injectedFailures)
      report.count("disk operations without room", disk.statistics.fullFailures)
    }
  }
}
