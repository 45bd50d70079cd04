// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

/// Gives any bytes as JSON Web Tokens, of this server and of a system that it trusts, as the keys of one, and as the body of
/// a request to log in. Built by Scripts/fuzz with libFuzzer.
///
/// The first byte chooses what the rest is. Nothing that was not signed with the key is taken; what was signed is taken only
/// as it was, and only as it says.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let mode = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch mode & 7 {
  case 1: takeClaims(rest, change: mode >> 3)
  case 2: takeCustomToken(rest)
  case 3: takeKeys(String(decoding: rest, as: UTF8.self))
  case 4: takeBody(rest)
  default: takeForgery(String(decoding: rest, as: UTF8.self))
  }
  return 0
}

private let now: Int64 = 1_700_000_000
private let signer = TokenSigner(key: Array(1...32))
private let secret = Array("a-secret-of-at-least-thirty-two-bytes".utf8)

// MARK: Tokens of this server

private func takeForgery(_ token: String) {
  for kind in [TokenClaims.Kind.access, .refresh] {
    precondition((try? signer.verify(token, as: kind, now: now)) == nil, "'\(token)' is taken")
  }
  precondition((try? hashed.verify(token, now: now)) == nil, "'\(token)' is taken")
}

/// Any content that is signed with the key.
private func takeClaims(_ payload: [UInt8], change: UInt8) {
  let header = signer.sign(claims).prefix { $0 != "." }
  let token = sign("\(header).\(Base64URL.encode(payload))", Array(1...32))
  for kind in [TokenClaims.Kind.access, .refresh] {
    guard let taken = try? signer.verify(token, as: kind, now: now) else { continue }
    precondition(taken.kind == kind && taken.expiresAt > now)
    precondition((try? signer.verify(signer.sign(taken), as: kind, now: now)) == taken)
  }
  var altered = Array(token.utf8)
  let position = Int(change) * altered.count / 32
  altered[position] ^= 1
  takeForgery(String(decoding: altered, as: UTF8.self))
}

private let claims = TokenClaims(
  kind: .access,
  appID: "app",
  userID: "u",
  deviceID: "d",
  sessionID: "s",
  issuedAt: now,
  expiresAt: now + 60
)

private func sign(_ text: String, _ key: [UInt8]) -> String {
  "\(text).\(Base64URL.encode(MessageAuthentication.hmacSHA256(Array(text.utf8), key: key)))"
}

// MARK: Tokens of another system

/// Header and payload, with a zero byte between them, signed with the secret, and with the text of a public key.
private func takeCustomToken(_ parts: [UInt8]) {
  let halves = parts.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
  let text = halves.map(Base64URL.encode).joined(separator: ".")
  let signed = verifier(CustomTokenProvider(algorithm: "RS256", signingKeys: [rsaKey]))
  precondition((try? signed.verify(sign(text, Array(rsaKey.utf8)), now: now)) == nil, "a public key signs")
  let token = sign(text, secret)
  precondition((try? signer.verify(token, as: .access, now: now)) == nil)
  guard let identity = try? hashed.verify(token, now: now) else { return }
  let header = try? JSON.parse(halves[0])
  let claims = try? JSON.parse(halves[1])
  precondition(header?["alg"] == "HS256" && claims?["sub"]?.stringValue == identity.subject)
  precondition(claims?["exp"]?.doubleValue.map { $0 > Double(now) } == true)
  takeForgery(token + "A")
}

private let hashed = verifier(
  CustomTokenProvider(
    algorithm: "HS256",
    signingKeys: [String(decoding: secret, as: UTF8.self)],
    metadataFields: [MetadataField(path: "user_data.name"), MetadataField(path: "a\\.b", fieldName: "c")]
  )
)

private func verifier(_ provider: CustomTokenProvider) -> CustomTokenVerifier {
  do {
    return try CustomTokenVerifier(provider, appID: "app")
  } catch {
    fatalError("\(error)")
  }
}

/// Keys are read or refused with a word on why.
private func takeKeys(_ text: String) {
  for algorithm in ["HS256", "RS256", "ES256", text] {
    do throws(ServerError) {
      _ = try TokenKey(text, algorithm: algorithm).verifies(Array(text.utf8), of: [1])
    } catch {
      precondition(!error.description.isEmpty)
    }
  }
  do throws(ServerError) {
    for key in try TokenKey.keys(ofSet: text) { _ = key.verifies([UInt8](repeating: 1, count: 64), of: [1]) }
  } catch {
    precondition(!error.description.isEmpty)
  }
}

/// The body of a request is read or refused with a word on why.
private func takeBody(_ bytes: [UInt8]) {
  do throws(APIError) {
    let body = try RequestBody(bytes)
    if let device = body.deviceID { precondition(device.utf8.count == 24) }
    for name in ["email", "username", "password", "token", "key"] { _ = try body.string(name) }
  } catch {
    precondition(error.status == 400 && !error.message.isEmpty)
  }
}

private let rsaKey = """
  -----BEGIN PUBLIC KEY-----
  MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3SqNj6aaeqkncXz0Dl9v
  JnJiW78ycnSe63BASPiUnOYynAJVtCiyG8B26I/MppdntmFTaAgq7LA30JW6HQQQ
  FVE+W7ABapqsOiAJNTM6kHhgFEFPzH6Eh3nxayDUZsDGl4omT66i4cJ4WXRGoAGo
  1WVlzfeoE4/Yj5lKactDdzbpNbavtHM9Tj/uQEH7llQDWudibUqEok+Lhhhr+x1A
  iSsEXx72qWlVVL9rOrX6fzNsvrRKFoDtNKhw67mNEOepn3yfuM/Ec9kMDd0jebtG
  KElEoH9azM2XAgMG749nlQHlSxoMheKaKOufuCirJ74Np/VYa5Fp4hmHiOMFpcOm
  mwIDAQAB
  -----END PUBLIC KEY-----
  """
