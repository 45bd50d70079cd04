// SPDX-License-Identifier: Apache-2.0

/// The rules for the names of users' API keys.
package enum APIKeyName {
  package static let rule = "the name of an API key has 1 to 64 letters, digits, _ and -"

  package static func isValid(_ name: String) -> Bool {
    (1...64).contains(name.count)
      && name.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || "0123456789_-".unicodeScalars.contains($0)
      }
  }
}
