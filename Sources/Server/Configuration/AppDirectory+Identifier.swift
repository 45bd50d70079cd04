// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules
import FlexSyncServerSupport

extension AppDirectory {
  /// The app id of a directory; what is no directory is an app id itself.
  ///
  /// - Throws: `ConfigurationError` for a directory that cannot be served.
  public static func identifier(of directory: String) throws(ConfigurationError) -> String {
    FileSystem.isDirectory(directory) ? try load(directory).appID : directory
  }
}
