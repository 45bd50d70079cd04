// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncScheduling
import FlexSyncTestSupport

/// The environment of a simulated client's session.
final class SimulatedSessionHost: SessionHost {
  let name: String
  private let client: Int
  private let scheduler: SimulatedScheduler
  private let network: SimulatedNetwork
  private var random: SeededGenerator
  private var attempt = 0
  /// Called with each error that would be reported to an app.
  var onError: ((SyncError) -> Void)?

  init(client: Int, scheduler: SimulatedScheduler, network: SimulatedNetwork, random: SeededGenerator) {
    self.client = client
    self.scheduler = scheduler
    self.network = network
    self.random = random
    name = SimulationSchema.userID(client)
  }

  var loop: any Scheduler { scheduler }
  var isLoggedIn: Bool { true }
  func makeSeed() -> UInt64 { random.next() }
  var clientResetMode = ClientResetMode.manual
  var onResetBegin: (() throws -> Void)?
  var onResetEnd: ((LocalChangesFate?) throws -> Void)?
  func clientResetBegins() throws { try onResetBegin?() }
  func clientResetEnded(_ fate: LocalChangesFate?) throws { try onResetEnd?(fate) }
  func observeLogin() {}
  func stopObservingLogin() {}
  func endRefusedLogin() {}

  func connect(completion: @escaping @Sendable (ConnectionOutcome) -> Void) {
    attempt += 1
    let attempt = attempt
    network.connect(client, scheduler: scheduler) { [weak self] in
      self?.attempt == attempt
    } completion: { [scheduler] answer in
      switch answer {
      case .connected(let channel): completion(.connected(LoopBound(channel, loop: scheduler)))
      case .failed:
        completion(.failed(CoreError(.connectionFailed, "the server does not answer")))
      }
    }
  }

  func abandonConnecting() { attempt += 1 }

  func renew(location: Bool, completion: @escaping @Sendable (Result<Void, CoreError>) -> Void) {
    scheduler.post { completion(.success(())) }
  }

  func publish(_ state: SessionState) {}
  func publish(_ state: ConnectionState) {}
  func report(_ error: SyncError) { onError?(error) }
}
