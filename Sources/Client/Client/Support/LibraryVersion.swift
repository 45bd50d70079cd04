// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

/// The version of the library, as given in the header.
enum LibraryVersion {
  static let text = "\(FLX_VERSION_MAJOR).\(FLX_VERSION_MINOR).\(FLX_VERSION_PATCH)"
}
