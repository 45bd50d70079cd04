// SPDX-License-Identifier: Apache-2.0

// Roles that become narrower and wide again while a device is away.

extension Simulation {
  /// Has a client go away, its user's role become another one, and the first again before the client comes back. It
  /// writes meanwhile.
  func narrowRole(_ client: SimulatedClient, _ role: Int, milliseconds: UInt64) throws {
    let number = client.number
    guard !client.isSuspended, try client.disk.withoutFaults(client.hasAnswer), let view = wantedViews[number]
    else { return }
    let former = roles.numbers[number]
    client.suspend()
    world.time.schedule(after: milliseconds / 4) { [unowned self] in
      guard client.isSuspended, !server.hasSession(of: number) else { return }
      report.count("roles narrowed while a client was away")
      changeRole(number, role)
      narrowed.insert(number)
      writeNote(client, seeing: view)
    }
    world.time.schedule(after: milliseconds / 4 * 3) { [unowned self] in
      let wasAway = narrowed.remove(number) != nil
      guard returnedEarly.remove(number) != nil || wasAway else { return }
      if wasAway { writeNote(client, seeing: view) }
      changeRole(number, former)
    }
    world.time.schedule(after: milliseconds) { client.resume() }
  }

  /// Notices who has come back before the role was wide again. What was seen by the narrow one is left out of the check.
  func noteEarlyReturns(_ present: Set<Int>) {
    for client in narrowed.intersection(present) {
      narrowed.remove(client)
      returnedEarly.insert(client)
      offlineWrites.forget(client)
    }
  }

  private func writeNote(_ client: SimulatedClient, seeing view: ItemView) {
    attemptOnDisk(client) {
      // What it writes while it asks for another view may be gone with the one before.
      guard try client.hasAnswer(), let note = try client.writeNote() else { return }
      offlineWrites.wrote(
        note.text,
        at: note.path,
        by: client.number,
        transaction: note.key,
        seeing: view,
        version: oracle.version
      )
    }
  }
}
