// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

/// The prepared statements of a connection whose owners have released them.
///
/// A statement may be released on any thread while another thread uses the connection. It cannot be finalized there,
/// because SQLite does not lock the connection. Instead it waits here until the connection is next used.
final class RetiredStatements: Sendable {
  /// The addresses of the statements.
  private let waiting = Mutex<[UInt]>([])

  /// Takes ownership of a statement. Call it from any thread.
  func add(_ statement: OpaquePointer) {
    let address = UInt(bitPattern: statement)
    waiting.withLock { $0.append(address) }
  }

  /// Finalizes the waiting statements. Only call it from the thread that may use the connection.
  func finalizeAll() {
    let statements = waiting.withLock { waiting in
      defer { waiting.removeAll(keepingCapacity: true) }
      return waiting
    }
    for address in statements { sqlite3_finalize(OpaquePointer(bitPattern: address)) }
  }
}
