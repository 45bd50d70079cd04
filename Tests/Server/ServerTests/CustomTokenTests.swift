// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncServerSupport

@Suite("Tokens of another system")
struct CustomTokenTests {
  private func harness(_ provider: CustomTokenProvider) throws -> Harness {
    let harness = try Harness(clock: AdjustableTime().clock)
    try harness.configure { $0.providers.customToken = provider }
    return harness
  }

  private static let secretProvider = CustomTokenProvider(signingKeys: [CustomTokens.secret])

  @Test(
    "Tokens of each algorithm log in",
    arguments: [
      (CustomTokenTests.secretProvider, CustomTokens.sign()),
      (CustomTokenProvider(algorithm: "RS256", signingKeys: [CustomTokens.rsaPEM]), CustomTokens.rsaToken),
      (CustomTokenProvider(algorithm: "ES256", signingKeys: [CustomTokens.ecPEM]), CustomTokens.ecToken),
      (CustomTokenProvider(keySet: CustomTokens.keySet), CustomTokens.rsaToken),
      (CustomTokenProvider(keySet: CustomTokens.keySet), CustomTokens.ecToken),
    ]
  )
  func algorithms(provider: CustomTokenProvider, token: String) throws {
    let harness = try harness(provider)
    let first = try harness.tokens(try harness.logIn(customToken: token))
    let identity = try harness.profile(first)["identities"]?.arrayValue?.first
    #expect(identity?["id"]?.stringValue == CustomTokens.subject)
    #expect(identity?["provider_type"] == "custom-token")
    let second = try harness.tokens(try harness.logIn(customToken: token))
    #expect(second.userID == first.userID)
  }

  @Test("Metadata fields become the user's data, anew at each log-in")
  func metadata() throws {
    var provider = Self.secretProvider
    provider.metadataFields = [
      MetadataField(path: "user_data.name", isRequired: true),
      MetadataField(path: "user_data.aliases", fieldName: "known_as"),
      MetadataField(path: #"a\.b.c"#), MetadataField(path: "missing"),
    ]
    let harness = try harness(provider)
    let token = CustomTokens.sign(CustomTokens.claims(("a.b", ["c": 5])))
    let tokens = try harness.tokens(try harness.logIn(customToken: token))
    let data: JSON = ["name": "Jean Valjean", "known_as": ["Monsieur Madeleine"], "c": 5]
    #expect(try harness.profile(tokens)["data"] == data)
    #expect(try harness.served.accounts.userContext(id: tokens.userID)?.data == data)
    let later = CustomTokens.sign(CustomTokens.claims(("user_data", ["name": "Fauchelevent"])))
    _ = try harness.tokens(try harness.logIn(customToken: later))
    #expect(try harness.profile(tokens)["data"] == ["name": "Fauchelevent"])
    let without = CustomTokens.sign(CustomTokens.claims(("user_data", .null)))
    expectRefusal(try harness.logIn(customToken: without), 401, "AuthError")
  }

  @Test(
    "Tokens are refused that are forged, too old, too new, or meant for others",
    arguments: [
      ("no signature", CustomTokenTests.unsigned),
      ("another secret", CustomTokens.sign(secret: "another-secret-of-32-bytes-or-more")),
      ("other content", CustomTokenTests.tampered),
      ("expired", CustomTokens.sign(CustomTokens.claims(("exp", 1_700_000_000)))),
      ("no end", CustomTokens.sign(CustomTokens.claims(("exp", .null)))),
      ("not yet", CustomTokens.sign(CustomTokens.claims(("nbf", 1_700_000_061)))),
      ("from the future", CustomTokens.sign(CustomTokens.claims(("iat", 1_700_000_061)))),
      ("another app", CustomTokens.sign(CustomTokens.claims(("aud", "other-app")))),
      ("no app", CustomTokens.sign(CustomTokens.claims(("aud", .null)))),
      ("nobody", CustomTokens.sign(CustomTokens.claims(("sub", "")))),
      ("a number", CustomTokens.sign(CustomTokens.claims(("sub", 5)))),
      ("extensions", CustomTokens.sign(header: ["alg": "HS256", "crit": ["b64"], "b64": false])),
      ("another type", CustomTokens.sign(header: ["alg": "HS256", "typ": "JWE"])),
      ("another algorithm", CustomTokens.sign(header: ["alg": "HS512", "typ": "JWT"])),
      (
        "too long",
        CustomTokens.sign(CustomTokens.claims(("x", .string(String(repeating: "x", count: 16_384)))))
      ),
      ("no token", "a.b.c"), ("two parts", "a.b"),
    ]
  )
  func refused(what: String, token: String) throws {
    let harness = try harness(Self.secretProvider)
    let answer = try harness.logIn(customToken: token)
    expectRefusal(answer, 401, "AuthError")
    #expect(answer.json?["error"]?.stringValue?.hasPrefix("the token was rejected: ") == true)
  }

  private static let unsigned: String = {
    let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
    return "\(header).\(CustomTokens.sign().split(separator: ".")[1])."
  }()

  private static let tampered: String = {
    let parts = CustomTokens.sign().split(separator: ".")
    let claims = JSON.object(CustomTokens.claims(("sub", "admin"))).serialized
    return "\(parts[0]).\(Base64URL.encode(Array(claims.utf8))).\(parts[2])"
  }()

  @Test("A public key is no secret: a token signed with its text by HMAC is refused")
  func confusion() throws {
    for provider in [
      CustomTokenProvider(algorithm: "RS256", signingKeys: [CustomTokens.rsaPEM]),
      CustomTokenProvider(keySet: CustomTokens.keySet),
    ] {
      let harness = try harness(provider)
      for header: JSON in [
        ["alg": "HS256"], ["alg": "HS256", "kid": "rsa-1"], ["alg": "RS256", "kid": "rsa-1"],
      ] {
        let token = CustomTokens.sign(header: header, secret: CustomTokens.rsaPEM)
        expectRefusal(try harness.logIn(customToken: token), 401, "AuthError")
      }
    }
  }

  @Test("A key checks the tokens that name it, by its own algorithm")
  func keyChoice() throws {
    for (header, reason) in [
      (#"{"alg":"RS256"}"#, "it does not say which of the app's keys it is signed with (kid)"),
      (#"{"alg":"RS256","kid":"rsa-9"}"#, "the key that it names (kid) is not one of the app's keys"),
      (#"{"alg":"HS256","kid":"rsa-1"}"#, "its algorithm (alg) is not that of any of the app's keys"),
    ] {
      let verifier = try CustomTokenVerifier(
        CustomTokenProvider(keySet: CustomTokens.keySet),
        appID: Harness.appID
      )
      let token = CustomTokens.sign(header: try JSON.parse(Array(header.utf8)))
      let error = #expect(throws: AccountError.self) { try verifier.verify(token, now: 1_700_000_000) }
      #expect(error?.message.contains(reason) == true, "\(error as Any)")
    }
    let harness = try harness(CustomTokenProvider(keySet: CustomTokens.keySet))
    let parts = CustomTokens.rsaToken.split(separator: ".")
    for header in [#"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":"ec-1"}"#, #"{"alg":"ES256","kid":"rsa-1"}"#] {
      let token = "\(Base64URL.encode(Array(header.utf8))).\(parts[1]).\(parts[2])"
      expectRefusal(try harness.logIn(customToken: token), 401, "AuthError")
    }
  }

  @Test("Audiences and the issuer are those of the app directory")
  func audience() throws {
    var provider = Self.secretProvider
    provider.audiences = ["a", "b"]
    provider.issuer = "https://issuer.example.com"
    func status(_ audience: JSON, issuer: JSON = "https://issuer.example.com") throws -> Int {
      let token = CustomTokens.sign(CustomTokens.claims(("aud", audience), ("iss", issuer)))
      return try harness(provider).logIn(customToken: token).status
    }
    #expect(try status(["a", "b", "c"]) == 200)
    #expect(try status("a") == 401)
    provider.acceptsAnyAudience = true
    #expect(try status("a") == 200)
    #expect(try status("c") == 401)
    #expect(try status("a", issuer: "https://other.example.com") == 401)
    #expect(try status("a", issuer: .null) == 401)
  }

  @Test("Keys that are too weak or none are refused when the app is loaded")
  func badKeys() throws {
    let providers = [
      CustomTokenProvider(signingKeys: ["short"]),
      CustomTokenProvider(algorithm: "RS256", signingKeys: [CustomTokens.shortRSAPEM]),
      CustomTokenProvider(algorithm: "RS256", signingKeys: [CustomTokens.ecPEM]),
      CustomTokenProvider(algorithm: "ES256", signingKeys: [CustomTokens.rsaPEM]),
      CustomTokenProvider(algorithm: "RS256", signingKeys: [CustomTokens.secret]),
      CustomTokenProvider(algorithm: "none", signingKeys: [CustomTokens.secret]),
      CustomTokenProvider(keySet: "{}"), CustomTokenProvider(keySet: "no JSON"),
      CustomTokenProvider(keySet: #"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#),
      CustomTokenProvider(keySet: #"{"kty":"oct","k":"AAAA"}"#),
    ]
    for provider in providers {
      #expect(throws: ServerError.self) { try CustomTokenVerifier(provider, appID: "app") }
    }
  }
}
