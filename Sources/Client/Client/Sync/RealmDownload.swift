// SPDX-License-Identifier: Apache-2.0

/// Waits for what opening a realm promises: the newest subscription set, then a download. The loop keeps it alive
/// until it is done. Confined to the loop.
final class RealmDownload: @unchecked Sendable {
  enum Mode {
    /// Only if no subscription set has ever been complete.
    case once
    case always
  }

  private let session: SyncSession
  private let timeout: UInt64
  /// The subject of the wait, as in "Waiting for *download* timed out".
  private let subject: String
  private let completion: SyncSession.Completion
  private let started = Clock.monotonicNanoseconds()

  /// - Parameters:
  ///   - timeout: in milliseconds; 0 waits forever.
  ///   - completion: called once on the loop.
  static func wait(
    for session: SyncSession,
    mode: Mode,
    timeout: UInt64,
    subject: String = "download",
    completion: @escaping SyncSession.Completion
  ) {
    session.user.app.post {
      RealmDownload(session, timeout, subject, completion)
        .waitForSubscriptions(onlyFirst: mode == .once)
    }
  }

  private init(
    _ session: SyncSession,
    _ timeout: UInt64,
    _ subject: String,
    _ completion: @escaping SyncSession.Completion
  ) {
    self.session = session
    self.timeout = timeout
    self.subject = subject
    self.completion = completion
  }

  private func waitForSubscriptions(onlyFirst: Bool) {
    perform {
      let (latest, isFirst) = try session.subscriptionProgress()
      if onlyFirst, !isFirst { return completion(.success(())) }
      session.waitForSubscriptionSet(version: latest, timeout: try remaining()) { [self] result in
        if case .failure(let error) = result { return fail(error) }
        waitForDownload()
      }
    }
  }

  private func waitForDownload() {
    perform {
      session.wait(.download, timeout: try remaining()) { [self] result in
        if case .failure(let error) = result { return fail(error) }
        completion(.success(()))
      }
    }
  }

  private func perform(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      fail(CoreError(mapping: error))
    }
  }

  /// Returns the remaining time; 0 for no limit.
  private func remaining() throws -> UInt64 {
    guard timeout > 0 else { return 0 }
    let elapsed = (Clock.monotonicNanoseconds() - started) / 1_000_000
    guard elapsed < timeout else { throw CoreError.timedOut(subject, milliseconds: timeout) }
    return timeout - elapsed
  }

  /// Reports a timeout with the original limit, because the waits were given only the remaining time.
  private func fail(_ error: CoreError) {
    let isTimeout = error.status == .timedOut
    completion(.failure(isTimeout ? .timedOut(subject, milliseconds: timeout) : error))
  }
}
