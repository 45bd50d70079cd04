// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerSupport

#if os(Linux)
// The standard library's normalisation is still SPI; without Foundation there is no other.
@_spi(_Unicode) import Swift
#endif

/// Validates and normalises e-mail addresses.
package enum EmailAddress {
  static let maximumByteCount = 320

  /// Returns the form that all spellings of one address share: they may differ in case and in Unicode composition.
  package static func normalized(_ text: String) -> String { composed(text.lowercased()) }

  private static func composed(_ text: String) -> String {
    #if os(Linux)
    return String(String.UnicodeScalarView(text._nfc))
    #else
    return text
    #endif
  }

  /// Validates an address and returns its normal form.
  ///
  /// - Throws: `AccountError` for text that is not an address, that a mail program could read as several addresses,
  ///   or that people could mistake for another address.
  package static func checked(_ text: String) throws(AccountError) -> String {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
      text.utf8.count <= maximumByteCount, normalized(text).utf8.count <= maximumByteCount,
      text.unicodeScalars.allSatisfy(isAllowed)
    else {
      throw .badRequest(
        reason: "\"\(ShortenedText.printable(text, to: maximumByteCount))\" is not a valid e-mail address"
      )
    }
    return normalized(text)
  }

  /// The address as registered, as the data that the provider asserts about the user.
  package static func data(_ text: String) -> String {
    JSON.object([JSON.Member("email", .string(text))]).serialized
  }

  /// Whether a scalar is visible and does not separate or enclose addresses in a mail header.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.properties.isWhitespace, !"\"(),:;<>[\\]".unicodeScalars.contains(scalar) else {
      return false
    }
    return ShortenedText.isPrintable(scalar)
  }
}
