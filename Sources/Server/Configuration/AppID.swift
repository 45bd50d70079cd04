// SPDX-License-Identifier: Apache-2.0

/// App identifiers, which also serve as the names of the apps' folders.
package enum AppID {
  package static let rule = "must consist of 1 to 128 letters, digits, - or _"
  private static let maximumByteCount = 128

  package static func isValid(_ text: String) -> Bool {
    PathName.isValid(text, maximumByteCount: maximumByteCount)
  }
}
