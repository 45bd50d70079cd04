// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON

@testable import FlexSyncServer

/// Tokens of another system, good around the time of `AdjustableTime`.
enum CustomTokens {
  static let secret = "a-secret-of-at-least-thirty-two-bytes"
  static let subject = "24601"

  static let claims: [JSON.Member] = [
    JSON.Member("sub", .string(subject)), JSON.Member("aud", .string(Harness.appID)),
    JSON.Member("exp", .integer(1_700_003_600)), JSON.Member("iat", .integer(1_700_000_000)),
    JSON.Member("user_data", ["name": "Jean Valjean", "aliases": ["Monsieur Madeleine"]]),
  ]

  /// The claims with others in place of those of the same name; null takes one away.
  static func claims(_ changes: (String, JSON)...) -> [JSON.Member] {
    var members = claims
    for (name, value) in changes {
      members.removeAll { $0.name == name }
      if value != .null { members.append(JSON.Member(name, value)) }
    }
    return members
  }

  static func sign(
    _ claims: [JSON.Member] = CustomTokens.claims,
    header: JSON = ["alg": "HS256", "typ": "JWT"],
    secret: String = CustomTokens.secret
  ) -> String {
    let parts = [header, .object(claims)].map { Base64URL.encode(Array($0.serialized.utf8)) }
    let signed = parts.joined(separator: ".")
    let code = MessageAuthentication.hmacSHA256(Array(signed.utf8), key: Array(secret.utf8))
    return "\(signed).\(Base64URL.encode(code))"
  }

  // Made with `openssl dgst -sha256 -sign` from keys that nobody has any more.

  static let rsaPEM = """
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

  static let ecPEM = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDMaq4AV96zgNlfKN16ZZ6ttUADF/
    UoE7I4w/L9fRjnT2X0EGBP0drZC6Qr7Xgkb5YM8rIjeJFSom3uib/MRI9g==
    -----END PUBLIC KEY-----
    """

  static let shortRSAPEM = """
    -----BEGIN PUBLIC KEY-----
    MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC5w8gaF4q93Na8x+D5BmCjKcGF
    /wdKGhAy1SgNDIfBmcOnPU6WsQZOGaV0F06KMQpcr3DdUeXh9CcJsw1mh6zqGw3s
    6Ukbjo6A/R2Wm72VD5+LjnIMc6oNW9inapO/ObM7rp5PYX0/kERXf3kf9iusuYcf
    lGl6g9C4vyxCg4jn3QIDAQAB
    -----END PUBLIC KEY-----
    """

  static let keySet = """
    {"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"rsa-1","e":"AQAB","n":"\
    3SqNj6aaeqkncXz0Dl9vJnJiW78ycnSe63BASPiUnOYynAJVtCiyG8B26I_MppdntmFTaAgq7LA30JW6HQQQFVE-W7ABapqsOiAJNTM6kHhgFEFP\
    zH6Eh3nxayDUZsDGl4omT66i4cJ4WXRGoAGo1WVlzfeoE4_Yj5lKactDdzbpNbavtHM9Tj_uQEH7llQDWudibUqEok-Lhhhr-x1AiSsEXx72qWlV\
    VL9rOrX6fzNsvrRKFoDtNKhw67mNEOepn3yfuM_Ec9kMDd0jebtGKElEoH9azM2XAgMG749nlQHlSxoMheKaKOufuCirJ74Np_VYa5Fp4hmHiOMF\
    pcOmmw"},{"kty":"EC","crv":"P-256","kid":"ec-1","x":"DMaq4AV96zgNlfKN16ZZ6ttUADF_UoE7I4w_L9fRjnQ","y":"\
    9l9BBgT9Ha2QukK-14JG-WDPKyI3iRUqJt7om_zESPY"},{"kty":"RSA","use":"enc","n":"AA","e":"AQAB"}]}
    """

  private static let signedClaims = """
    eyJzdWIiOiIyNDYwMSIsImF1ZCI6InRhc2t0cmFja2VyLWFiY2RlIiwiZXhwIjoxNzAwMDAzNjAwLCJpYXQiOjE3MDAwMDAwMDAsInVzZXJfZGF0\
    YSI6eyJuYW1lIjoiSmVhbiBWYWxqZWFuIiwiYWxpYXNlcyI6WyJNb25zaWV1ciBNYWRlbGVpbmUiXX19
    """

  static let rsaToken = """
    eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6InJzYS0xIn0.\(signedClaims).\
    UpTXQVbKmrYHNwPbxFey7Gucur8AbjSbxVb653ki7TCR_X_xjMRxSVPwCVAt0hwCFeblu0t_FWrAac6mon_fG0a42f_8fU3uTnCKe5VCi2k5dBNM\
    YnCHi8Nyo-y9Vf4e5uQGVMiIp6sFxL45neJ2m8XJIMgjz9H-nBMmy8Eb9NwUZOqrbCC26PNJ2UTKZN9xF5nPr_SY0I4_jx9y8BRLzppMHCAUadVH\
    IebcKbxCcHqC2AJDRE2xqBk2YaW5CCHOvPeMpzTp9fcwUy0XxpxPUDWoJI77IOXUmzMpm8ixS28kPHciunPK3GDD9lUGRfiS0tSFBUISb3B_ZCY3\
    27SCCQ
    """

  static let ecToken = """
    eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImVjLTEifQ.\(signedClaims).\
    8931SOD3PFKBN8o6-97usQdq1fiUVhNBSBvc4JQGLXOOwN0NBzKOpYY97SFXu9evCyb0YW3C0ed2AWRKgxyOjw
    """
}
