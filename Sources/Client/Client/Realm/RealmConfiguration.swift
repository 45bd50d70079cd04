// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

/// What a realm is opened with.
struct RealmConfiguration {
  /// Where the data live.
  enum Location: Hashable, Sendable {
    /// A file, by path.
    case file(String)
    /// Memory, shared within the process under a name until the last handle closes.
    case memory(String)
  }

  /// Fills the first subscription set.
  struct InitialSubscriptions {
    let callback: flx_initial_subscriptions_t
    let userdata: Userdata
    /// Whether the first open in each process runs it, too, and not only the one that makes the file.
    let reruns: Bool
  }

  var location: Location
  /// Whose data to sync; nil for a local realm.
  var user: User?
  /// Whether the location is the one that the user's realm has if the program names none.
  var isDefaultLocation = false
  /// The classes in the order of their declaration.
  var classes: [DeclaredClass]
  var initialSubscriptions: InitialSubscriptions?
  /// Open, but do not connect.
  var startsSuspended = false
  var clientReset = ClientResetConfiguration()
  /// Whether commits fail that the server would take back because no subscription asks for an object.
  var refusesUnsubscribedObjects = false
  /// Whether a write transaction may go on on another thread than the one that began it.
  var changesThreadInWrite = false
  /// How much is kept of rejected writes.
  var rejectedWriteLimits = RejectedWriteLimits()

  /// Whose file it must be.
  var owner: RealmOwner {
    user.map { .synced(appID: $0.app.configuration.appID, userID: $0.id) } ?? .local
  }
}
