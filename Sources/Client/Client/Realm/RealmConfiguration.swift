// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The settings with which a realm is opened.
struct RealmConfiguration {
  /// The location of the data.
  enum Location: Hashable, Sendable {
    /// A file, by path.
    case file(String)
    /// Memory, shared within the process under a name until the last handle closes.
    case memory(String)
  }

  /// The callback that fills the first subscription set.
  struct InitialSubscriptions {
    let fill: (Realm, SubscriptionUpdate) -> Void
    /// Whether it runs at the first open in every process rather than only when the file is created.
    let reruns: Bool
  }

  var location: Location
  /// The user whose data are synced; nil for a local realm.
  var user: User?
  /// Whether the location is the user's default, because the program named none.
  var isDefaultLocation = false
  /// The classes in the order of their declaration.
  var classes: [DeclaredClass]
  var initialSubscriptions: InitialSubscriptions?
  /// Whether the realm opens without connecting.
  var startsSuspended = false
  var clientReset = ClientResetConfiguration()
  /// Whether commits fail if the server would revert them because no subscription covers an object.
  var refusesUnsubscribedObjects = false
  /// Whether a write transaction may continue on a thread other than the one that began it.
  var changesThreadInWrite = false
  /// The limits on how many rejected writes are kept.
  var rejectedWriteLimits = RejectedWriteLimits()

  /// Whether opening in the background fails with the first error that does not end the session.
  var failsOpeningAtFirstError = false
  /// Receives the progress of the download while the realm is being opened in the background.
  var openProgress: (@Sendable (TransferProgress) -> Void)?

  /// The owner that the file must have.
  var owner: RealmOwner {
    user.map { .synced(appID: $0.app.configuration.appID, userID: $0.id) } ?? .local
  }
}
