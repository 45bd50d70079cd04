// SPDX-License-Identifier: Apache-2.0

/// Identifies an asynchronous write transaction, or the completion of one, within its realm.
public typealias AsyncTransactionId = UInt32

/// The asynchronous write transactions of a realm, which begin one after the other, each when it is the realm's turn to
/// write. Used where the realm belongs.
final class AsyncWrites {
  private enum Work {
    /// A transaction.
    case block(() -> Void)
    /// A task that begins a transaction itself.
    case waiter(TurnWaiter)

    func isWaiter(_ other: TurnWaiter) -> Bool {
      if case .waiter(let waiter) = self { waiter === other } else { false }
    }
  }

  private var waiting: [(id: AsyncTransactionId, work: Work)] = []
  /// The completions that are going to be called.
  private var completions: [AsyncTransactionId: () -> Void] = [:]
  private var lastId: AsyncTransactionId = 0
  /// The turn that has been requested; nil if there is none, or if a transaction has taken it.
  private var turn: NotificationToken?
  /// The number of the turn that was requested last.
  private var turnNumber = 0
  /// The number of the turn that a task was told of.
  private var grantedTurn = 0
  /// The number of transactions that are running.
  private var runningCount = 0

  /// Whether anything is waiting or running.
  var isBusy: Bool { !waiting.isEmpty || !completions.isEmpty || runningCount > 0 }

  private func nextId() -> AsyncTransactionId {
    lastId += 1
    return lastId
  }

  /// Runs `body`, which is an asynchronous transaction or a part of one.
  func running<Result>(_ body: () throws -> Result) rethrows -> Result {
    runningCount += 1
    defer { runningCount -= 1 }
    return try body()
  }

  // MARK: Waiting

  /// Adds a transaction that begins when it is its turn.
  func add(_ handle: _RealmHandle, _ block: @escaping () -> Void) -> AsyncTransactionId {
    requireScheduler(handle)
    // The transaction takes place even if the program lets go of the realm.
    return add(.block { withExtendedLifetime(handle) { block() } }, handle)
  }

  /// Adds a task that waits for its turn.
  func add(_ handle: _RealmHandle, _ waiter: TurnWaiter) { _ = add(.waiter(waiter), handle) }

  private func add(_ work: Work, _ handle: _RealmHandle) -> AsyncTransactionId {
    let id = nextId()
    waiting.append((id, work))
    requestTurn(handle)
    return id
  }

  /// Schedules the call of a completion.
  func complete(_ handle: _RealmHandle, _ completion: @escaping () -> Void) -> AsyncTransactionId {
    requireScheduler(handle)
    let id = nextId()
    completions[id] = { withExtendedLifetime(handle) { completion() } }
    handle.live.scheduler? { $0.asyncWrites.completions.removeValue(forKey: id)?() }
    return id
  }

  /// Removes a transaction that has not begun, or a completion that has not been called.
  func cancel(_ id: AsyncTransactionId) {
    waiting.removeAll { $0.id == id }
    completions[id] = nil
    if waiting.isEmpty { turn = nil }
  }

  private func requireScheduler(_ handle: _RealmHandle) {
    Misuse.require(
      handle.live.scheduler != nil,
      "Cannot schedule async transaction. Make sure you are running from inside a run loop."
    )
  }

  // MARK: Turns

  /// Requests a turn if something waits for one and none has been requested.
  private func requestTurn(_ handle: _RealmHandle) {
    guard turn == nil, let first = waiting.first else { return }
    turnNumber += 1
    let number = turnNumber
    if let scheduler = handle.live.scheduler {
      turn = handle.requestWrite { scheduler { $0.asyncWrites.useTurn(number, _RealmHandle($0)) } }
    } else if case .waiter(let waiter) = first.work {
      // A realm that belongs to no place is used by one task, which is all that can wait.
      grantedTurn = number
      turn = handle.requestWrite { waiter.end(hasTurn: true) }
    }
  }

  /// Begins what is first, unless another transaction of the realm has taken the turn.
  private func useTurn(_ number: Int, _ handle: _RealmHandle) {
    guard turn != nil, number == turnNumber else { return }
    guard let first = waiting.first else {
      // Whoever waited was canceled; others must not wait for a turn that nobody uses.
      turn = nil
      return
    }
    switch first.work {
    case .waiter(let waiter):
      grantedTurn = number
      // It takes the turn when its task continues.
      waiter.end(hasTurn: true)
    case .block(let block):
      waiting.removeFirst()
      running {
        do {
          try handle.beginWrite()
          block()
          if handle.isInWrite { try handle.cancelWrite() }
        } catch {
          Misuse.stop("\(error)")
        }
      }
    }
  }

  /// Notes that a transaction of the realm has taken the turn, if one was requested.
  func noteBegun() { turn = nil }

  /// Notes that a transaction of the realm has ended, or could not begin.
  func noteEnded(_ handle: _RealmHandle) { requestTurn(handle) }

  /// Ends the waiting of a task that now begins a transaction, or gives up.
  ///
  /// - Returns: whether the task has the turn; not if another transaction of the realm has taken it in the meantime.
  func remove(_ waiter: TurnWaiter, _ handle: _RealmHandle, isCanceled: Bool) -> Bool {
    let isFirst = waiting.first?.work.isWaiter(waiter) ?? false
    waiting.removeAll { $0.work.isWaiter(waiter) }
    guard isCanceled else { return isFirst && turn != nil && grantedTurn == turnNumber }
    // For the next one.
    if isFirst {
      turn = nil
      requestTurn(handle)
    }
    return false
  }
}

extension _RealmHandle {
  /// Waits for the turn of a task to write.
  ///
  /// - Throws: `CancellationError`.
  func waitForTurn(isolation: isolated (any Actor)?) async throws {
    let writes = live.asyncWrites
    while true {
      try _Concurrency.Task.checkCancellation()
      let waiter = TurnWaiter()
      writes.add(self, waiter)
      let hasTurn = await waiter.wait(isolation: isolation)
      let isCanceled = !hasTurn || _Concurrency.Task.isCancelled
      if writes.remove(waiter, self, isCanceled: isCanceled) { return }
      if isCanceled { throw CancellationError() }
    }
  }
}
