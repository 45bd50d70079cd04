// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerSupport

#if os(Linux)
// The standard library's normalisation, which is not public yet: there is none without Foundation otherwise.
@_spi(_Unicode) import Swift
#endif

/// Decides which texts are e-mail addresses.
package enum EmailAddress {
  static let maximumByteCount = 320

  /// The form that all addresses of one account share: they may differ in case, and in how characters are composed.
  package static func normalized(_ text: String) -> String { composed(text.lowercased()) }

  private static func composed(_ text: String) -> String {
    #if os(Linux)
    return String(String.UnicodeScalarView(text._nfc))
    #else
    return text
    #endif
  }

  /// The normal form of an address.
  ///
  /// - Throws: `AccountError` for a text that is none, or that a mail program could read as several addresses or people as
  ///   another one.
  package static func checked(_ text: String) throws(AccountError) -> String {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
      text.utf8.count <= maximumByteCount, normalized(text).utf8.count <= maximumByteCount,
      text.unicodeScalars.allSatisfy(isAllowed)
    else {
      throw .badRequest(
        reason: "\"\(ShortenedText.printable(text, to: maximumByteCount))\" is no e-mail address"
      )
    }
    return normalized(text)
  }

  /// The address as it was registered, as what the provider tells about the user.
  package static func data(_ text: String) -> String {
    JSON.object([JSON.Member("email", .string(text))]).serialized
  }

  /// Anything that can be seen, but what separates or encloses addresses in a mail's header.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.properties.isWhitespace, !"\"(),:;<>[\\]".unicodeScalars.contains(scalar) else {
      return false
    }
    return ShortenedText.isPrintable(scalar)
  }
}
