// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncTransport

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
    guard !appID.isEmpty else { throw CoreError.invalidArgument("app_id is empty") }
    guard !storageDirectory.isEmpty else {
      throw CoreError.invalidArgument("storage_directory is empty")
    }
    guard baseURL.hasPrefix("http://") || baseURL.hasPrefix("https://") else {
      throw CoreError.invalidArgument(
        "base_url '\(baseURL)' must begin with http:// or https://"
      )
    }
    try Self.check(baseURL)
    self.appID = appID
    self.baseURL = baseURL.withoutTrailingSlashes
    self.storageDirectory = storageDirectory.withoutTrailingSlashes
  }

  private static func check(_ baseURL: String) throws {
    let url: WebURL
    do throws(TransportError) {
      url = try WebURL(parsing: baseURL)
    } catch {
      throw CoreError.invalidArgument("base_url: \(error)")
    }
    guard !url.target.contains("?"), !baseURL.contains("#") else {
      throw CoreError.invalidArgument("base_url '\(baseURL)' must have no query and no fragment")
    }
  }

  /// The setting in which the other configuration of the same app differs; nil if there is none.
  func difference(from other: AppConfiguration) -> String? {
    if trustedCertificatesFile != other.trustedCertificatesFile {
      let (mine, others) = (trustedCertificatesFile ?? "", other.trustedCertificatesFile ?? "")
      return "trusted_certificates_file is '\(mine)', not '\(others)'"
    }
    if requestTimeoutMilliseconds != other.requestTimeoutMilliseconds {
      return "request_timeout_ms is \(requestTimeoutMilliseconds), not \(other.requestTimeoutMilliseconds)"
    }
    if connectTimeoutMilliseconds != other.connectTimeoutMilliseconds {
      return "connect_timeout_ms is \(connectTimeoutMilliseconds), not \(other.connectTimeoutMilliseconds)"
    }
    return nil
  }

  /// The folder of everything that this app keeps on the device.
  var folder: String { "\(storageDirectory)/\(appID.asFileName)" }

  /// The folder of the default realm files of a user.
  func folder(ofUser userID: String) -> String { "\(folder)/\(userID.asFileName)" }

  /// The path of the app's part of the client API, protocol §1.1.
  var appRoute: String { "/api/client/v2.0/app/\(PercentEncoding.encode(appID))" }

  /// The path that sync sessions connect to, unless the server names another one.
  var syncRoute: String { appRoute + "/realm-sync" }
}

extension String {
  fileprivate var withoutTrailingSlashes: String {
    var text = self[...]
    while text.count > 1, text.last == "/" { text.removeLast() }
    return String(text)
  }

  /// The text as the name of one file, so that an id from elsewhere cannot lead out of its folder.
  var asFileName: String {
    let name = PercentEncoding.encode(self)
    return name.allSatisfy { $0 == "." } ? name.map { _ in "%2E" }.joined() : name
  }
}
