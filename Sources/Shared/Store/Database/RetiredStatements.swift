// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

/// The prepared statements of a connection that nobody has any more.
///
/// Whoever has a statement may let go of it on any thread, while another one is using the connection. SQLite must not be
/// told of it there: it takes no locks for a connection. So the statement waits here until the connection is used again.
final class RetiredStatements: Sendable {
  /// The addresses of the statements.
  private let waiting = Mutex<[UInt]>([])

  /// Takes a statement over. Any thread.
  func add(_ statement: OpaquePointer) {
    let address = UInt(bitPattern: statement)
    waiting.withLock { $0.append(address) }
  }

  /// Ends what is waiting. Only for whoever may use the connection.
  func finalizeAll() {
    let statements = waiting.withLock { waiting in
      defer { waiting.removeAll(keepingCapacity: true) }
      return waiting
    }
    for address in statements { sqlite3_finalize(OpaquePointer(bitPattern: address)) }
  }
}
