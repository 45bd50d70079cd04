// SPDX-License-Identifier: Apache-2.0

// Roles that are narrowed and restored while a device is offline.

extension Simulation {
  /// Takes a client offline, narrows its user's role, and restores the role before the client returns. The client
  /// writes notes while it is offline. Does nothing unless the client was last served with the role to restore, and has
  /// received that: if what it may read changes, it may lose what it has written.
  func narrowRole(_ client: SimulatedClient, _ role: Int, milliseconds: UInt64) throws {
    let number = client.number
    let former = roles.numbers[number]
    guard !client.isSuspended, !returnedEarly.contains(number), servedRoles[number] == former,
      try client.disk.withoutFaults(client.hasAnswer), try hasAllBootstraps(client),
      let view = wantedViews[number]
    else { return }
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

  /// Whether a client has received all bootstraps that the server has placed for it. False if the server is not running.
  private func hasAllBootstraps(_ client: SimulatedClient) throws -> Bool {
    guard let file = client.process?.file, let store = server.store else { return false }
    return try client.disk.withoutFaults {
      try server.disk.withoutFaults {
        guard let ident = try file.fileIdent()?.ident else { return false }
        let received = try file.progress().download.serverVersion
        return try store.firstBootstrap(file: ident, after: received) == nil
      }
    }
  }

  /// Detects clients that have returned before their role was restored. Notes affected by the narrow role are not
  /// checked.
  func noteEarlyReturns(_ present: Set<Int>) {
    for client in narrowed.intersection(present) {
      narrowed.remove(client)
      returnedEarly.insert(client)
      offlineWrites.forget(client)
    }
  }

  private func writeNote(_ client: SimulatedClient, seeing view: ItemView) {
    attemptOnDisk(client) {
      // A write made while the client requests another view may be lost together with the previous view.
      guard try client.hasAnswer(), let note = try client.writeNote() else { return }
      offlineWrites.wrote(
        note.text,
        at: note.path,
        by: client.number,
        transaction: note.key,
        seeing: view
      )
    }
  }
}
