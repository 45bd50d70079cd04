// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension Realm {
  /// Deletes the files of a realm that is not open. Returns false if there were none.
  ///
  /// - Throws: `Realm.Error` with code `alreadyOpen` while it is open in this process.
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    var wasDeleted = false
    try configuration.withFlexConfiguration { config in
      try check { flx_realm_delete_files(config, &wasDeleted, $0) }
    }
    return wasDeleted
  }

  /// Whether the file of a configuration exists.
  public static func fileExists(for configuration: Configuration) -> Bool {
    var exists = false
    configuration.withFlexConfiguration { config in mustSucceed { flx_realm_file_exists(config, &exists, $0) }
    }
    return exists
  }
}
