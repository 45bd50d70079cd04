// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules

// Changes of a user's permissions (protocol §4.9).

extension StreamWriter {
  /// Whether permissions would change the view of a file.
  func changesView(_ permissions: Permissions, of file: LiveFile) -> Bool {
    !UTF8Order.areEqual(text(permissions, file), file.record.permissions)
  }

  private func text(_ permissions: Permissions, _ file: LiveFile) -> String {
    ViewPermissions(permissions, of: file.view.queriedClassNames).text
  }
}
