// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON

/// The claims that a client reads from an access token; verifying the signature is up to the server (RealmClients
/// §1, Tokens).
struct JSONWebToken: Equatable {
  /// The time at which the token expires, in seconds since 1970; nil if the token does not say.
  let expiry: Int64?
  /// The custom data of the user; nil if the token carries none, or something that cannot be a document.
  let customData: JSON?

  /// The grace period after the expiry, in seconds.
  private static let slack: Int64 = 5

  /// Parses "header.payload.signature"; nil if the text is not a token.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    var encoded = parts[1]
    while encoded.last == "=" { encoded.removeLast() }
    let urlSafe = encoded.utf8.map {
      $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? 95 : $0
    }
    guard let payload = Base64URL.decode(String(decoding: urlSafe, as: UTF8.self)),
      let claims = try? JSON.parse(payload), claims.objectValue != nil
    else { return nil }
    expiry = claims["exp"]?.doubleValue.flatMap { Int64(exactly: $0.rounded(.down)) }
    let data = claims["user_data"]
    customData = data?.isDocument == true ? data : nil
  }

  /// Whether the token has expired and must be refreshed before connecting.
  func isExpired(at seconds: Int64 = Clock.now().seconds) -> Bool {
    expiry.map { $0 < seconds &- Self.slack } ?? false
  }
}
