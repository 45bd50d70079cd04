// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The location of an app's server, and how to connect to it.
///
/// An app takes over the settings when it is created; it does not notice later changes.
public final class AppConfiguration {
  /// The URL of a server on this machine, which an app uses unless its configuration names another one.
  static let defaultBaseURL = "http://localhost:9090"

  private var url = AppConfiguration.defaultBaseURL
  /// Performs the app's HTTP requests; nil for the library's own HTTP client. Sync connections do not use it.
  public var transport: RLMNetworkTransport?
  /// A folder for credentials and realm files: by default `mongodb-realm` in the user's application support folder.
  public var storageDirectory: URL
  /// A PEM file with the certificates to trust instead of the system's.
  public var trustedCertificatesFile: URL?
  /// The timeout of each HTTP request in milliseconds.
  public var defaultRequestTimeoutMS: UInt
  /// For source compatibility: each realm has a connection of its own, whatever this says.
  public var enableSessionMultiplexing: Bool
  private var times: SyncTimes?
  /// The name of the program, which is not used for anything.
  public var localAppName: String?
  /// The version of the program, which is not used for anything.
  public var localAppVersion: String?

  /// Creates a configuration. What is nil or left out has the default of its property.
  public init(
    baseURL: String? = nil,
    transport: RLMNetworkTransport? = nil,
    storageDirectory: URL? = nil,
    trustedCertificatesFile: URL? = nil,
    localAppName: String? = nil,
    localAppVersion: String? = nil,
    defaultRequestTimeoutMS: UInt? = nil,
    enableSessionMultiplexing: Bool? = nil,
    syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.transport = transport
    self.storageDirectory = storageDirectory ?? AppSettings.defaultStorageDirectory
    self.trustedCertificatesFile = trustedCertificatesFile
    self.localAppName = localAppName
    self.localAppVersion = localAppVersion
    self.defaultRequestTimeoutMS = defaultRequestTimeoutMS ?? 60_000
    self.enableSessionMultiplexing = enableSessionMultiplexing ?? true
    times = syncTimeouts?.times
    self.baseURL = baseURL
  }

  convenience init(_ settings: AppSettings) {
    self.init(
      baseURL: settings.baseURL,
      transport: settings.transport,
      storageDirectory: settings.storageDirectory,
      trustedCertificatesFile: settings.trustedCertificatesFile,
      localAppName: settings.localAppName,
      localAppVersion: settings.localAppVersion,
      defaultRequestTimeoutMS: settings.requestTimeout,
      enableSessionMultiplexing: settings.enablesSessionMultiplexing,
      syncTimeouts: settings.syncTimeouts.map { SyncTimeoutOptions($0) }
    )
  }

  /// The URL of the server, "https://…". Setting it to nil makes it "http://localhost:9090" again.
  public var baseURL: String! {
    get { url }
    set { url = newValue ?? Self.defaultBaseURL }
  }

  /// A copy of the times of sync connections; nil for the defaults.
  public var syncTimeouts: SyncTimeoutOptions? {
    get { times.map { SyncTimeoutOptions($0) } }
    set { times = newValue?.times }
  }

  var settings: AppSettings {
    AppSettings(
      baseURL: url,
      transport: transport,
      storageDirectory: storageDirectory,
      trustedCertificatesFile: trustedCertificatesFile,
      requestTimeout: defaultRequestTimeoutMS,
      enablesSessionMultiplexing: enableSessionMultiplexing,
      syncTimeouts: times,
      localAppName: localAppName,
      localAppVersion: localAppVersion
    )
  }
}

/// The values of an `AppConfiguration`.
struct AppSettings: Sendable {
  let baseURL: String
  let transport: RLMNetworkTransport?
  let storageDirectory: URL
  let trustedCertificatesFile: URL?
  let requestTimeout: UInt
  let enablesSessionMultiplexing: Bool
  let syncTimeouts: SyncTimes?
  let localAppName: String?
  let localAppVersion: String?

  /// `mongodb-realm`, the name that the Realm SDKs use, in the user's application support folder, or in the current
  /// folder if there is none.
  fileprivate static var defaultStorageDirectory: URL {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    return (support ?? URL(fileURLWithPath: ".")).appendingPathComponent("mongodb-realm", isDirectory: true)
  }
}
