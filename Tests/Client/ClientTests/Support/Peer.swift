// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

extension ProcessPeer {
  /// Opens the synced realm of a device: a computer, whose processes keep their logins each for itself.
  ///
  /// - Parameter folder: that of the process.
  convenience init(_ device: Device, folder: String) throws {
    let path = flx_realm_path(try device.realm.handle).text
    let email = try #require(device.email)
    try self.init(["synced", device.url, folder, path, email])
  }
}
