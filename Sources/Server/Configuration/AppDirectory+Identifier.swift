// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules
import FlexSyncServerSupport

extension AppDirectory {
  /// Returns the app id of a directory. Text that does not name a directory is returned unchanged, as an app id.
  ///
  /// - Throws: `ConfigurationError` if the directory cannot be served.
  public static func identifier(of directory: String) throws(ConfigurationError) -> String {
    FileSystem.isDirectory(directory) ? try load(directory).appID : directory
  }
}
