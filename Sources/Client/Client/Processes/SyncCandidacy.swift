// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// This process's part in the question which process syncs a file: the sync agent does, and the others wait until it
/// gives that up or dies. Any thread.
final class SyncCandidacy: Sendable {
  private enum State: Sendable {
    case none
    /// Waiting for the lock.
    case candidate
    case agent(SyncAgentLock)
    /// The realm is closed.
    case closed
  }

  private let path: String
  private let state = Mutex(State.none)

  /// - Parameter path: the path of the file.
  init(path: String) { self.path = path }

  /// Whether this process syncs the file.
  var isAgent: Bool { state.withLock { if case .agent = $0 { true } else { false } } }

  /// Asks for the right to sync the file.
  ///
  /// - Parameter elected: called on another thread once the process has the right, unless it has it already.
  /// - Returns: whether the process has the right already.
  /// - Throws: `StorageError` if the lock cannot be used.
  func apply(_ elected: @escaping @Sendable () -> Void) throws -> Bool {
    let (isAgent, isWaiting) = try state.withLock { state in
      switch state {
      case .agent: return (true, false)
      case .closed: return (false, false)
      case .candidate: return (false, true)
      case .none:
        let lock = try SyncAgentLock.ifFree(path: path)
        state = lock.map(State.agent) ?? .candidate
        return (lock != nil, lock == nil)
      }
    }
    if isWaiting {
      try SyncAgentQueue.wait(path) { [weak self] lock in
        if self?.accept(lock) == true { elected() }
      }
    }
    return isAgent
  }

  private func accept(_ lock: SyncAgentLock) -> Bool {
    state.withLock { state in
      guard case .candidate = state else { return false }
      state = .agent(lock)
      return true
    }
  }

  /// Gives up the right, or the wait for it.
  func resign() { leave(.none) }

  /// Gives up the right for good.
  func close() { leave(.closed) }

  private func leave(_ new: State) {
    let former = state.withLock { state in
      let former = state
      if case .closed = state { return former }
      state = new
      return former
    }
    if case .candidate = former { SyncAgentQueue.leave(path) }
  }
}

/// The threads that wait until they may sync a file, one for each file. A thread, because the system then hands over the
/// lock at once, even if the process that holds it was killed.
private enum SyncAgentQueue {
  /// Called with the lock; nil if nobody in this process waits any more. The thread cannot be woken.
  private static let waiting = Mutex<[RealmConfiguration.Location: (@Sendable (SyncAgentLock) -> Void)?]>([:])

  /// Waits for the lock of a file.
  ///
  /// - Parameter ready: called once on another thread, unless `leave` is called first.
  static func wait(_ path: String, _ ready: @escaping @Sendable (SyncAgentLock) -> Void) throws {
    let hasThread = waiting.withLock { waiting in waiting.updateValue(ready, forKey: .file(path)) != nil }
    guard !hasThread, !DetachedThread.start({ takeLock(path) }) else { return }
    waiting.withLock { _ = $0.removeValue(forKey: .file(path)) }
    throw StorageError(
      kind: .outOfMemory,
      message: "No thread can be created to wait until '\(path)' may be synced."
    )
  }

  static func leave(_ path: String) {
    waiting.withLock { waiting in
      if waiting[.file(path)] != nil { waiting.updateValue(nil, forKey: .file(path)) }
    }
  }

  private static func takeLock(_ path: String) {
    while true {
      do {
        let lock = try SyncAgentLock(path: path, waits: true)
        let ready = waiting.withLock { $0.removeValue(forKey: .file(path)) } ?? nil
        ready?(lock)
        return
      } catch {
        Log.write(.warn, "'\(path)' cannot be synced by this process for now: \(error)")
      }
      // Such as too many open files. It would otherwise stay without a sync agent when the present one ends.
      sleep(retryPause)
      let isWanted = waiting.withLock { waiting -> Bool in
        if case .some(.some) = waiting[.file(path)] { return true }
        waiting.removeValue(forKey: .file(path))
        return false
      }
      if !isWanted { return }
    }
  }

  /// The seconds between two attempts to wait.
  private static let retryPause: UInt32 = 5
}
