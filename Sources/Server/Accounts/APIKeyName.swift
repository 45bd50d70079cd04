// SPDX-License-Identifier: Apache-2.0

/// The rules for the names of users' API keys.
package enum APIKeyName {
  package static let rule = "an API key name must consist of 1 to 64 letters, digits, _ or -"

  package static func isValid(_ name: String) -> Bool {
    (1...64).contains(name.count)
      && name.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || "0123456789_-".unicodeScalars.contains($0)
      }
  }
}
