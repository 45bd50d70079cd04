// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The location of an app's server, and how to connect to it.
///
/// An app takes over the settings when it is created; it does not notice later changes.
public final class AppConfiguration {
  /// The URL of a server on this machine, which an app uses unless its configuration names another one.
  static let defaultBaseURL = "http://localhost:9090"

  private(set) var settings: AppSettings

  /// Creates a configuration. What is nil or left out has the default of its property.
  public convenience init(
    baseURL: String? = nil,
    transport: RLMNetworkTransport? = nil,
    storageDirectory: URL? = nil,
    trustedCertificatesFile: URL? = nil,
    defaultRequestTimeoutMS: UInt? = nil,
    enableSessionMultiplexing: Bool? = nil,
    syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.init(AppSettings())
    self.baseURL = baseURL
    self.transport = transport
    self.storageDirectory = storageDirectory ?? self.storageDirectory
    self.trustedCertificatesFile = trustedCertificatesFile
    self.defaultRequestTimeoutMS = defaultRequestTimeoutMS ?? self.defaultRequestTimeoutMS
    self.enableSessionMultiplexing = enableSessionMultiplexing ?? self.enableSessionMultiplexing
    self.syncTimeouts = syncTimeouts
  }

  /// Creates a configuration; the name and the version of the program are not used for anything.
  @available(*, deprecated, message: "localAppName and localAppVersion are not used for anything")
  public convenience init(
    baseURL: String? = nil,
    transport: RLMNetworkTransport? = nil,
    localAppName: String?,
    localAppVersion: String?,
    defaultRequestTimeoutMS: UInt? = nil,
    enableSessionMultiplexing: Bool? = nil,
    syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.init(
      baseURL: baseURL,
      transport: transport,
      defaultRequestTimeoutMS: defaultRequestTimeoutMS,
      enableSessionMultiplexing: enableSessionMultiplexing,
      syncTimeouts: syncTimeouts
    )
    settings.localAppName = localAppName
    settings.localAppVersion = localAppVersion
  }

  init(_ settings: AppSettings) { self.settings = settings }

  /// The URL of the server, "https://…". Setting it to nil makes it "http://localhost:9090" again.
  public var baseURL: String! {
    get { settings.baseURL }
    set { settings.baseURL = newValue ?? Self.defaultBaseURL }
  }

  /// Performs the app's HTTP requests; nil for the library's own HTTP client. Sync connections do not use it.
  public var transport: RLMNetworkTransport? {
    get { settings.transport }
    set { settings.transport = newValue }
  }

  /// A folder for credentials and realm files: by default `mongodb-realm` in the user's application support folder.
  public var storageDirectory: URL {
    get { settings.storageDirectory }
    set { settings.storageDirectory = newValue }
  }

  /// A PEM file with the certificates to trust instead of the system's.
  public var trustedCertificatesFile: URL? {
    get { settings.trustedCertificatesFile }
    set { settings.trustedCertificatesFile = newValue }
  }

  /// The timeout of each HTTP request in milliseconds.
  public var defaultRequestTimeoutMS: UInt {
    get { settings.requestTimeout }
    set { settings.requestTimeout = newValue }
  }

  /// For source compatibility: each realm has a connection of its own, whatever this says.
  public var enableSessionMultiplexing: Bool {
    get { settings.enablesSessionMultiplexing }
    set { settings.enablesSessionMultiplexing = newValue }
  }

  /// The times of sync connections; nil for the defaults.
  public var syncTimeouts: SyncTimeoutOptions? {
    get { settings.syncTimeouts.map { SyncTimeoutOptions($0) } }
    set { settings.syncTimeouts = newValue?.times }
  }

  /// The name of the program, which is not used for anything.
  @available(*, deprecated, message: "This field is not used")
  public var localAppName: String? {
    get { settings.localAppName }
    set { settings.localAppName = newValue }
  }

  /// The version of the program, which is not used for anything.
  @available(*, deprecated, message: "This field is not used")
  public var localAppVersion: String? {
    get { settings.localAppVersion }
    set { settings.localAppVersion = newValue }
  }
}

/// The values of an `AppConfiguration`.
struct AppSettings: Sendable {
  var baseURL = AppConfiguration.defaultBaseURL
  var transport: RLMNetworkTransport?
  var storageDirectory = AppSettings.defaultStorageDirectory
  var trustedCertificatesFile: URL?
  var requestTimeout: UInt = 60_000
  var enablesSessionMultiplexing = true
  var syncTimeouts: SyncTimes?
  var localAppName: String?
  var localAppVersion: String?

  /// `mongodb-realm`, the name that the Realm SDKs use, in the user's application support folder, or in the current
  /// folder if there is none.
  private static var defaultStorageDirectory: URL {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    return (support ?? URL(fileURLWithPath: ".")).appendingPathComponent("mongodb-realm", isDirectory: true)
  }
}
