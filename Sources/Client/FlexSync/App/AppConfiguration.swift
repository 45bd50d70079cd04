// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where an app's server is and how it is reached.
public struct AppConfiguration: Sendable {
  /// "https://…" of the server.
  public var baseURL: String
  /// A folder for credentials and realm files.
  public var storageDirectory: URL
  /// A PEM file with the certificates to trust instead of the system's.
  public var trustedCertificatesFile: URL?
  /// Limit of each HTTP request in milliseconds; nil means 60 000.
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

  /// `mongodb-realm` in the user's application support folder, or in the current folder where there is none: the name
  /// that the Realm SDKs use.
  private static var defaultStorageDirectory: URL {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    return (support ?? URL(fileURLWithPath: ".")).appendingPathComponent("mongodb-realm", isDirectory: true)
  }
}
