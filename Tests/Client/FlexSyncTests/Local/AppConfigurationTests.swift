// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// The settings of an app, which need no server.
@Suite struct AppConfigurationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func app(_ configuration: AppConfiguration = AppConfiguration()) throws -> App {
    configuration.storageDirectory = folder.file("device")
    return try App(opening: "settings-abcde", configuration: configuration)
  }

  @Test func aBaseURLCanBeSetAndReset() throws {
    let configuration = AppConfiguration()
    let standard = try #require(configuration.baseURL)
    configuration.baseURL = "https://sync.example.com"
    #expect(configuration.baseURL == "https://sync.example.com")
    configuration.baseURL = nil
    #expect(configuration.baseURL == standard)
    #expect(AppConfiguration(baseURL: nil).baseURL == standard)
  }

  @Test func anAppKeepsTheConfigurationOfItsCreation() throws {
    let configuration = AppConfiguration(baseURL: "http://one.example.com", defaultRequestTimeoutMS: 500)
    let app = try app(configuration)
    configuration.baseURL = "http://two.example.com"
    #expect(app.configuration.baseURL == "http://one.example.com" && app.baseURL == "http://one.example.com")
    app.configuration.defaultRequestTimeoutMS = 1
    #expect(app.configuration.defaultRequestTimeoutMS == 500)
    #expect(app.configuration.enableSessionMultiplexing)
  }

  @Test func timesThatAreLeftOutHaveTheirDefaults() throws {
    let options = SyncTimeoutOptions(connectTimeout: 2000, fastReconnectLimit: 5)
    options.pingKeepalivePeriod = 7
    #expect(options.connectTimeout == 2000 && options.connectionLingerTime == 30_000)
    let configuration = AppConfiguration(syncTimeouts: options)
    options.connectTimeout = 1
    let app = try app(configuration)
    #expect(app.configuration.syncTimeouts?.connectTimeout == 2000)
    #expect(app.syncManager.timeoutOptions?.pingKeepalivePeriod == 7)
    app.syncManager.timeoutOptions = nil
    #expect(app.syncManager.timeoutOptions == nil)
  }

  @Test func theManagersOfAnAppHaveTheSameSettings() throws {
    let app = try app()
    app.syncManager.customRequestHeaders = ["X-Tenant": "blue"]
    app.syncManager.authorizationHeaderName = "X-Token"
    app.syncManager.userAgent = "Tracker/1"
    app.syncManager.errorHandler = { _, _ in }
    let same = try self.app()
    #expect(same == app)
    #expect(same.syncManager.customRequestHeaders == ["X-Tenant": "blue"])
    #expect(
      same.syncManager.authorizationHeaderName == "X-Token" && same.syncManager.userAgent == "Tracker/1"
    )
    #expect(same.syncManager.errorHandler != nil)
    same.syncManager.customRequestHeaders = nil
    #expect(app.syncManager.customRequestHeaders == nil)
  }

  @Test func whatAnAppHasSetOutlivesIt() throws {
    try app().syncManager.customRequestHeaders = ["X-Tenant": "blue"]
    try app().syncManager.userAgent = "Tracker/1"
    try app().syncManager.errorHandler = { _, _ in }
    #expect(try app().syncManager.customRequestHeaders == ["X-Tenant": "blue"])
    #expect(try app().syncManager.userAgent == "Tracker/1" && app().syncManager.errorHandler != nil)
    try app().syncManager.errorHandler = nil
    #expect(try app().syncManager.errorHandler == nil)
  }

  @Test func theSettingsOfAnAppThatHasEndedDoNotBindTheNextOne() throws {
    for timeout: UInt in [500, 700] {
      let configuration = AppConfiguration(defaultRequestTimeoutMS: timeout)
      #expect(try app(configuration).configuration.defaultRequestTimeoutMS == timeout)
    }
  }

  @Test func aProfileCanBeEmpty() {
    #expect(UserProfile().name == nil && UserProfile().metadata.isEmpty)
  }
}
