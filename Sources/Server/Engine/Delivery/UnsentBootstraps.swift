// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The bootstraps in the streams of files whose sessions ended before the server sent anything of them. Their clients
/// certainly have nothing of them, so nothing has to be taken back, and offline writes survive.
///
/// They are known only until the server restarts. After that, a client counts as having received a part.
struct UnsentBootstraps {
  private static let maximumCount = 10_000

  /// The stream version of the first such bootstrap, by file ident.
  private var versions: [UInt64: ServerVersion] = [:]

  /// Notes what a session that is about to end has not been sent.
  mutating func note(_ session: EngineSession) {
    guard let file = session.file else { return }
    let isReplaced = file.unfinished == nil
    let version = isReplaced ? session.preparedBootstraps.keys.min() : session.unsentBootstrap
    if versions.count >= UnsentBootstraps.maximumCount { versions = [:] }
    versions[file.ident] = version
  }

  /// Removes and returns the first such bootstrap in the stream of a file.
  mutating func take(_ ident: UInt64) -> ServerVersion? { versions.removeValue(forKey: ident) }
}
