// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// The subscription of a realm's publisher. Canceling it ends the observation. Everything is published, whatever
/// the subscriber demands.
public final class ObservationSubscription: Subscription, Sendable {
  private struct State: @unchecked Sendable {
    var isCanceled = false
    /// Ends the observation. Called once, on the thread that ends it.
    var end: (() -> Void)?
  }

  private let state = Mutex(State())

  init() {}

  /// Notes what ends the observation, which has begun; ends it if the subscription has been canceled.
  func begin(_ end: @escaping () -> Void) {
    let isCanceled = state.withLock { state in
      if !state.isCanceled { state.end = end }
      return state.isCanceled
    }
    if isCanceled { end() }
  }

  public func request(_ demand: Subscribers.Demand) {}

  public func cancel() {
    let end = state.withLock { state in
      defer { state = State(isCanceled: true) }
      return state.end
    }
    end?()
  }
}
