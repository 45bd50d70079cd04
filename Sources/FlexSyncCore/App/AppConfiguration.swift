// SPDX-License-Identifier: Apache-2.0

/// What an app is made from.
struct AppConfiguration: Sendable, Equatable {
  /// The app id that the server knows.
  let appID: String
  /// "http://…" or "https://…" without a slash at the end.
  let baseURL: String
  /// Where credentials and default realm files are kept.
  let storageDirectory: String
  /// A PEM file with the certificates to trust instead of the system's.
  var trustedCertificatesFile: String?
  var requestTimeoutMilliseconds: UInt64 = 60_000
  var connectTimeoutMilliseconds: UInt64 = 120_000

  /// - Throws: `CoreError` INVALID_ARGUMENT for what cannot work.
  init(appID: String, baseURL: String, storageDirectory: String) throws {
    guard !appID.isEmpty else { throw CoreError(.FLX_STATUS_INVALID_ARGUMENT, "app_id is empty") }
    guard !storageDirectory.isEmpty else {
      throw CoreError(.FLX_STATUS_INVALID_ARGUMENT, "storage_directory is empty")
    }
    guard baseURL.hasPrefix("http://") || baseURL.hasPrefix("https://") else {
      throw CoreError(
        .FLX_STATUS_INVALID_ARGUMENT,
        "base_url '\(baseURL)' must begin with http:// or https://"
      )
    }
    self.appID = appID
    self.baseURL = baseURL.withoutTrailingSlashes
    self.storageDirectory = storageDirectory.withoutTrailingSlashes
  }

  /// The folder of everything that this app keeps on the device.
  var folder: String { "\(storageDirectory)/\(appID.asFileName)" }

  /// The path of the app's part of the client API, protocol §1.1.
  var appRoute: String { "/api/client/v2.0/app/\(appID.percentEncoded)" }
}

extension String {
  fileprivate var withoutTrailingSlashes: String {
    var text = self[...]
    while text.count > 1, text.last == "/" { text.removeLast() }
    return String(text)
  }

  /// The text as one component of a URL's path or one value of its query: RFC 3986.
  var percentEncoded: String { escaped { $0.isUnreserved } }

  /// The text as the name of one file, so that an id from elsewhere cannot lead out of its folder.
  var asFileName: String {
    let name = escaped { $0.isUnreserved || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "+") }
    return name == "." || name == ".." ? name.replacingDots : name
  }

  private var replacingDots: String { utf8.map { _ in "%2E" }.joined() }

  private func escaped(keeping isKept: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in utf8 {
      if isKept(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~")].contains(self)
    }
  }
}
