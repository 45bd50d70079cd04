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
  /// The classes in the order of their declaration.
  var classes: [DeclaredClass]
  var initialSubscriptions: InitialSubscriptions?
}
