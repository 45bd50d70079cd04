// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON

/// Takes any bytes as what a client may send to log in. Built by Scripts/fuzz with libFuzzer.
///
/// The first byte says as what: a token of another system, the claims or the header of one that is signed rightly, a token
/// of the server, a key set, or the body of a request.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAccounts(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let content = Array(UnsafeBufferPointer(start: bytes + 1, count: count - 1))
  let text = String(decoding: content, as: UTF8.self)
  switch bytes[0] % 6 {
  case 0: check(text, isSigned: false)
  case 1: check(token(header: Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8), claims: content), isSigned: true)
  case 2: check(token(header: content, claims: Array(claims.utf8)), isSigned: true)
  case 3: checkOwn(text)
  case 4: _ = try? CustomTokenVerifier(CustomTokenProvider(keySet: text), appID: "app")
  default: read(content)
  }
  return 0
}

private let secret = "a-secret-of-at-least-thirty-two-bytes"
private let claims = #"{"sub":"24601","aud":"app","exp":2000,"data":{"name":"Jean"}}"#
private let now: Int64 = 1000
private let signer = TokenSigner(key: Array(secret.utf8))

private let verifier: CustomTokenVerifier = {
  let provider = CustomTokenProvider(
    signingKeys: [secret],
    metadataFields: [MetadataField(path: "data.name"), MetadataField(path: #"a\.b.c"#, fieldName: "d")]
  )
  guard let verifier = try? CustomTokenVerifier(provider, appID: "app") else {
    preconditionFailure("no verifier")
  }
  return verifier
}()

private func token(header: [UInt8], claims: [UInt8]) -> String {
  let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
  let code = MessageAuthentication.hmacSHA256(Array(signed.utf8), key: Array(secret.utf8))
  return "\(signed).\(Base64URL.encode(code))"
}

private func check(_ token: String, isSigned: Bool) {
  do throws(APIError) {
    let identity = try verifier.verify(token, now: now)
    precondition(isSigned, "a forged token is taken: \(token)")
    precondition(!identity.subject.isEmpty && identity.subject.utf8.count <= 512, "nobody: \(token)")
    precondition(identity.data.objectValue != nil)
  } catch {
    precondition(error.status == 401)
  }
}

/// No input can hold a token of the server, for it cannot know the key.
private func checkOwn(_ token: String) {
  for kind in [TokenClaims.Kind.access, .refresh] {
    precondition((try? signer.verify(token, as: kind, now: now)) == nil, "a forged token is taken: \(token)")
  }
}

private func read(_ bytes: [UInt8]) {
  do throws(APIError) {
    let body = try RequestBody(bytes)
    if let device = body.deviceID { precondition(device.utf8.count == 24) }
    for name in ["email", "username", "password", "token", "key"] { _ = try body.string(name) }
  } catch {
    precondition(error.status == 400)
  }
}
