// SPDX-License-Identifier: Apache-2.0

/// The sync session of a realm file. Any thread.
final class SyncSession: Sendable {
  /// The file.
  let path: String

  init(path: String) { self.path = path }

  static func open(
    user: User,
    path: String,
    coordinator: RealmCoordinator,
    startsSuspended: Bool
  ) throws -> SyncSession { SyncSession(path: path) }

  func close() {}

  func localVersionAdvanced() {}

  func subscriptionSetCommitted() {}
}
