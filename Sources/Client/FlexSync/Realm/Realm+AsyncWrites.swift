// SPDX-License-Identifier: Apache-2.0

/// Write transactions that wait for their turn without blocking the thread or the actor of the realm.
extension Realm {
  /// The form of `write` for asynchronous code, in realms of the main thread and of actors. While another transaction is
  /// running, the task is suspended. `block` runs on the actor of the realm.
  ///
  /// - Throws: the errors of `write`; `CancellationError` if the task is canceled before `block` has begun.
  @discardableResult
  public func asyncWrite<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ block: () throws -> Result
  ) async throws -> Result {
    requireAsynchronousUse("asyncWrite()")
    try await handle.waitForTurn(isolation: isolation)
    return try handle.live.asyncWrites.running { try write(block) }
  }

  /// The form of `refresh` for asynchronous code, in realms of the main thread and of actors. If the task is canceled, it
  /// does nothing and returns false.
  @discardableResult
  public func asyncRefresh(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    requireAsynchronousUse("asyncRefresh()")
    return _Concurrency.Task.isCancelled ? false : refresh()
  }

  private func requireAsynchronousUse(_ function: String) {
    switch handle.live.place {
    case .thread, .queue: fatalError("\(function) can only be called on main thread or actor-isolated Realms")
    case .main, .actor, nil: break
    }
  }

  /// Runs `block` in a write transaction and commits it, when the transactions that are running or waiting have ended.
  ///
  /// Only in a realm of the main thread, an actor or a queue, on which `block` and `onComplete` are called.
  ///
  /// - Parameter onComplete: called after the commit, with its error if it failed. Without it, an error stops the program.
  @discardableResult
  public func writeAsync(_ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil)
    -> AsyncTransactionId
  {
    beginAsyncWrite {
      block()
      if isInWriteTransaction { commitAsyncWrite(onComplete) }
    }
  }

  /// Begins a write transaction when the transactions that are running or waiting have ended, and then runs `block`, which
  /// should commit the transaction. If it does not, the transaction is reverted.
  ///
  /// Only in a realm of the main thread, an actor or a queue, on which `block` is called.
  @discardableResult
  public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
    handle.live.asyncWrites.add(handle, block)
  }

  /// Commits the write transaction, whether it was begun with `beginAsyncWrite` or `beginWrite`. When this returns, the
  /// writes are visible and on disk.
  ///
  /// - Parameters:
  ///   - allowGrouping: has no effect; Realm may then write several transactions to disk at once.
  ///   - onComplete: called soon after the commit, with its error if it failed. Without it, an error stops the program.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false,
    _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    var failure: (any Swift.Error)?
    do { try handle.commitWrite() } catch { failure = error }
    if let failure, onComplete == nil || isInWriteTransaction { Misuse.stop("\(failure)") }
    return handle.live.asyncWrites.complete(handle) { onComplete?(failure) }
  }

  /// Cancels a transaction that has not begun, or a completion that has not been called; the commit itself happens. An id
  /// of anything else has no effect.
  public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
    handle.live.asyncWrites.cancel(asyncTransactionId)
  }

  /// Whether asynchronous transactions are waiting or running, or completions of them are yet to be called.
  public var isPerformingAsynchronousWriteOperations: Bool { handle.live.asyncWrites.isBusy }
}
