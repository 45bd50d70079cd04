// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// A realm that is being opened in the background.
public final class AsyncOpenTask: Sendable {
  private struct State: Sendable {
    /// Called once, with whichever comes first: the end of the download or the cancellation.
    var finish: (@Sendable ((any Error)?) -> Void)?
    var observers: [@Sendable (SyncSession.Progress) -> Void] = []
    /// The last progress, which a new observer gets first.
    var progress: SyncSession.Progress?
  }

  private let state: Mutex<State>

  init(_ finish: @escaping @Sendable ((any Error)?) -> Void) { state = Mutex(State(finish: finish)) }

  @Sendable func end(_ error: (any Error)?) {
    let finish = state.withLock { state in
      defer { state.finish = nil }
      return state.finish
    }
    finish?(error)
  }

  @Sendable func report(_ progress: SyncSession.Progress) {
    let observers = state.withLock { state in
      state.progress = progress
      return state.finish == nil ? [] : state.observers
    }
    for observer in observers { observer(progress) }
  }

  /// Makes the open fail with `ECANCELED`. The file keeps what has been downloaded.
  public func cancel() { end(posixError(ECANCELED, "Operation canceled")) }

  /// Reports the progress of the download, up to the end of the opening.
  ///
  /// - Parameters:
  ///   - queue: the queue on which `block` is called.
  ///   - block: receives the present progress, if there is any, and then each change.
  public func addProgressNotification(
    queue: DispatchQueue = .main,
    block: @escaping @Sendable (SyncSession.Progress) -> Void
  ) {
    let observer: @Sendable (SyncSession.Progress) -> Void = { progress in queue.async { block(progress) } }
    let progress = state.withLock { state in
      state.observers.append(observer)
      return state.progress
    }
    if let progress { observer(progress) }
  }
}

extension Realm {
  /// The name in the Realm Swift SDK.
  public typealias AsyncOpenTask = FlexSync.AsyncOpenTask
}
