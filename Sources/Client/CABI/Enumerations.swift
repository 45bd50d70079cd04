// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncQuery

// The enumerations of the C interface and those of the library.

extension flx_session_state_t {
  init(_ state: SessionState) {
    switch state {
    case .active: self = .FLX_SESSION_ACTIVE
    case .inactive: self = .FLX_SESSION_INACTIVE
    case .closed: self = .FLX_SESSION_CLOSED
    }
  }
}

extension flx_connection_state_t {
  init(_ state: ConnectionState) {
    switch state {
    case .disconnected: self = .FLX_CONNECTION_DISCONNECTED
    case .connecting: self = .FLX_CONNECTION_CONNECTING
    case .connected: self = .FLX_CONNECTION_CONNECTED
    }
  }
}

extension flx_user_state_t {
  init(_ state: User.State) {
    switch state {
    case .loggedOut: self = .FLX_USER_LOGGED_OUT
    case .loggedIn: self = .FLX_USER_LOGGED_IN
    case .removed: self = .FLX_USER_REMOVED
    }
  }
}

extension flx_link_state_t {
  init(_ state: LinkState) {
    switch state {
    case .null: self = .FLX_LINK_NULL
    case .resolved: self = .FLX_LINK_RESOLVED
    case .outOfView: self = .FLX_LINK_OUT_OF_VIEW
    }
  }
}

extension flx_subscription_state_t {
  init(_ state: SubscriptionSetState) {
    switch state {
    case .pending: self = .FLX_SUBSCRIPTION_PENDING
    case .bootstrapping: self = .FLX_SUBSCRIPTION_BOOTSTRAPPING
    case .complete: self = .FLX_SUBSCRIPTION_COMPLETE
    case .error: self = .FLX_SUBSCRIPTION_ERROR
    case .superseded: self = .FLX_SUBSCRIPTION_SUPERSEDED
    case .awaitingMark: self = .FLX_SUBSCRIPTION_AWAITING_MARK
    }
  }
}

extension ResultsAggregate {
  init(_ aggregate: flx_aggregate_t) throws {
    switch aggregate {
    case .FLX_AGGREGATE_COUNT: self = .count
    case .FLX_AGGREGATE_MIN: self = .function(.minimum)
    case .FLX_AGGREGATE_MAX: self = .function(.maximum)
    case .FLX_AGGREGATE_SUM: self = .function(.sum)
    case .FLX_AGGREGATE_AVERAGE: self = .function(.average)
    default: throw CoreError.invalidArgument("Unknown aggregate: \(aggregate.rawValue).")
    }
  }
}

extension RealmDownload.Mode {
  /// Creates the mode in which a realm is opened; nil if nothing is downloaded.
  init?(_ mode: flx_open_mode_t) throws {
    switch mode {
    case .FLX_OPEN_LOCAL: return nil
    case .FLX_OPEN_DOWNLOAD_ONCE: self = .once
    case .FLX_OPEN_DOWNLOAD_ALWAYS: self = .always
    default: throw CoreError.invalidArgument("Unknown open mode: \(mode.rawValue).")
    }
  }
}

extension SyncSession.Direction {
  init(_ direction: flx_direction_t) throws {
    switch direction {
    case .FLX_DIRECTION_UPLOAD: self = .upload
    case .FLX_DIRECTION_DOWNLOAD: self = .download
    default: throw CoreError.invalidArgument("Unknown direction: \(direction.rawValue).")
    }
  }
}
