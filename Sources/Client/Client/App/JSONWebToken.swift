// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON

/// What a client reads from an access token; the signature is the server's business (RealmClients §1, Tokens).
struct JSONWebToken: Equatable {
  /// When the token expires, in seconds since 1970; nil if it says nothing.
  let expiry: Int64?
  /// The custom data of the user; nil if the token carries none, or what cannot be a document.
  let customData: JSON?

  /// The slack before a token counts as expired, in seconds.
  private static let slack: Int64 = 5

  /// Reads "header.payload.signature"; nil if it is no such thing.
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

  /// Whether the token is no use any more: refresh it before connecting.
  func isExpired(at seconds: Int64 = Clock.now().seconds) -> Bool {
    expiry.map { $0 < seconds &- Self.slack } ?? false
  }
}
