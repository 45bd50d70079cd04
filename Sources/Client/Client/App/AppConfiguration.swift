// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncTransport

/// The settings of an app.
struct AppConfiguration: Sendable, Equatable {
  /// The id of the app on the server.
  let appID: String
  /// "http://…" or "https://…" without a trailing slash.
  let baseURL: String
  /// The directory of the credentials and the default realm files.
  let storageDirectory: String
  /// A PEM file with the certificates to trust instead of the system's.
  var trustedCertificatesFile: String?
  var requestTimeoutMilliseconds: UInt64 = 60_000
  var connectTimeoutMilliseconds: UInt64 = 120_000

  /// - Throws: `CoreError` INVALID_ARGUMENT if an argument is empty or the URL is unusable.
  init(appID: String, baseURL: String, storageDirectory: String) throws {
    guard !appID.isEmpty else { throw CoreError.invalidArgument("app_id is empty") }
    guard !storageDirectory.isEmpty else {
      throw CoreError.invalidArgument("storage_directory is empty")
    }
    self.appID = appID
    self.baseURL = try Self.checked(baseURL: baseURL)
    self.storageDirectory = storageDirectory.withoutTrailingSlashes
  }

  /// Returns a base URL without a slash at its end.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT if it is unusable.
  static func checked(baseURL: String) throws -> String {
    guard baseURL.hasPrefix("http://") || baseURL.hasPrefix("https://") else {
      throw CoreError.invalidArgument(
        "base_url '\(baseURL)' must begin with http:// or https://"
      )
    }
    try check(baseURL)
    return baseURL.withoutTrailingSlashes
  }

  private static func check(_ baseURL: String) throws {
    let url: WebURL
    do throws(TransportError) {
      url = try WebURL(parsing: baseURL)
    } catch {
      throw CoreError.invalidArgument("base_url: \(error)")
    }
    guard !url.target.contains("?"), !baseURL.contains("#") else {
      throw CoreError.invalidArgument("base_url '\(baseURL)' must not have a query or a fragment")
    }
  }

  /// Describes the first setting in which another configuration of the same app differs; nil if there is none.
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

  /// The folder of everything that this app stores on the device.
  var folder: String { "\(storageDirectory)/\(appID.asFileName)" }

  /// Returns the folder of a user's default realm files.
  func folder(ofUser userID: String) -> String { "\(folder)/\(userID.asFileName)" }

  /// The path of the app within the client API, protocol §1.1.
  var appRoute: String { "/api/client/v2.0/app/\(PercentEncoding.encode(appID))" }

  /// The path that sync sessions connect to unless the server names another one.
  var syncRoute: String { appRoute + "/realm-sync" }
}

extension String {
  fileprivate var withoutTrailingSlashes: String {
    var text = self[...]
    while text.count > 1, text.last == "/" { text.removeLast() }
    return String(text)
  }

  /// The text as a single file name, so that an id from elsewhere cannot escape its folder.
  var asFileName: String {
    let name = PercentEncoding.encode(self)
    return name.allSatisfy { $0 == "." } ? name.map { _ in "%2E" }.joined() : name
  }
}
