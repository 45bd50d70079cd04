// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

/// Ends statements from another thread, so that a process that is shutting down need not wait for them. Safe to use
/// from any thread.
public final class Interruption: Sendable {
  private static let idle = 0
  private static let requested = 1
  private static let withdrawn = 2

  private let state = Atomic(Interruption.idle)

  public init() {}

  /// Whether statements fail.
  public var isRequested: Bool { state.load(ordering: .relaxed) == Interruption.requested }

  /// Makes all running and new statements fail with errors of kind `interrupted`. Open write transactions are rolled
  /// back in full. Has no effect after `withdraw`.
  ///
  /// - Returns: Whether this call started the interruption.
  @discardableResult
  public func request() -> Bool {
    state.compareExchange(
      expected: Interruption.idle,
      desired: Interruption.requested,
      ordering: .relaxed
    ).exchanged
  }

  /// Permanently allows statements to run again.
  public func withdraw() { state.store(Interruption.withdrawn, ordering: .relaxed) }
}

extension Database {
  /// The number of SQLite virtual machine steps between two checks for an interruption.
  private static let stepCount: Int32 = 200

  /// Runs `body`. A statement in it fails with an error of kind `interrupted` once `isOver` returns true. Only for
  /// statements that read: a write may have its transaction rolled back.
  public func interrupting<Result>(when isOver: @escaping () -> Bool, _ body: () throws -> Result) throws
    -> Result
  {
    connection.isOver = isOver
    watch()
    defer {
      connection.isOver = nil
      if connection.interruption == nil { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
    }
    return try body()
  }

  /// Allows `interruption` to end statements of this connection from another thread.
  public func obey(_ interruption: Interruption) {
    connection.interruption = interruption
    watch()
  }

  private func watch() {
    sqlite3_progress_handler(
      connection.handle,
      Database.stepCount,
      { context in
        let connection = Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue()
        return connection.interruption?.isRequested == true || connection.isOver?() == true ? 1 : 0
      },
      Unmanaged.passUnretained(connection).toOpaque()
    )
  }
}
