// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

/// Lets statements be ended from another thread: when a process is told to end, it must not wait for them. Safe from
/// any thread.
public final class Interruption: Sendable {
  private static let idle = 0
  private static let requested = 1
  private static let withdrawn = 2

  private let state = Atomic(Interruption.idle)

  public init() {}

  /// Whether statements fail.
  public var isRequested: Bool { state.load(ordering: .relaxed) == Interruption.requested }

  /// Lets all statements fail that run or are begun, with errors of kind `interrupted`. Write transactions that are open
  /// are rolled back whole. Does nothing after `withdraw`.
  ///
  /// - Returns: Whether it does.
  @discardableResult
  public func request() -> Bool {
    state.compareExchange(
      expected: Interruption.idle,
      desired: Interruption.requested,
      ordering: .relaxed
    ).exchanged
  }

  /// Lets statements run again, for good.
  public func withdraw() { state.store(Interruption.withdrawn, ordering: .relaxed) }
}

extension Database {
  /// After so many steps of SQLite's machine it is asked whether a statement goes on.
  private static let stepCount: Int32 = 200

  /// Runs `body`; a statement in it fails with an error of kind `interrupted` when `isOver` says so. For statements that
  /// only read: others may have their transaction rolled back.
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

  /// Lets statements of this connection be ended from another thread.
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
