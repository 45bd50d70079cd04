// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The location of an app's server, and how to connect to it.
public struct AppConfiguration: Sendable {
  /// The URL of the server, "https://…". Without a scheme, it is `http` for `localhost` and `127.…`, and `https` otherwise.
  public var baseURL: String
  /// A folder for credentials and realm files.
  public var storageDirectory: URL
  /// A PEM file with the certificates to trust instead of the system's.
  public var trustedCertificatesFile: URL?
  /// The timeout of each HTTP request in milliseconds; nil means 60 000.
  public var defaultRequestTimeoutMS: UInt?

  public init(
    baseURL: String = "http://localhost:9090",
    storageDirectory: URL? = nil,
    trustedCertificatesFile: URL? = nil,
    defaultRequestTimeoutMS: UInt? = nil
  ) {
    self.baseURL = baseURL
    self.storageDirectory = storageDirectory ?? AppConfiguration.defaultStorageDirectory
    self.trustedCertificatesFile = trustedCertificatesFile
    self.defaultRequestTimeoutMS = defaultRequestTimeoutMS
  }

  /// `mongodb-realm`, the name that the Realm SDKs use, in the user's application support folder, or in the current
  /// folder if there is none.
  private static var defaultStorageDirectory: URL {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    return (support ?? URL(fileURLWithPath: ".")).appendingPathComponent("mongodb-realm", isDirectory: true)
  }
}
