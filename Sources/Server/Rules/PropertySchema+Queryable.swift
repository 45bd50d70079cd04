// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension PropertySchema {
  /// Whether subscriptions can compare the property. Points can be queried as well.
  package var isQueryable: Bool { type != .link && collection != .dictionary }
}
