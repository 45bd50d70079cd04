// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation

// The names that the pages give the app's id.
// swift-format-ignore: AlwaysUseLowerCamelCase
let APPID = TestServer.appID
// swift-format-ignore: AlwaysUseLowerCamelCase
let YOUR_APP_SERVICES_APP_ID = TestServer.appID

/// The device on which an example runs: a folder, and the address of a server in a process of its own.
struct Device: Sendable {
  @TaskLocal static var current: Device?

  let folder: TemporaryFolder
  let url: String

  /// Runs an example on a new device, with a new server.
  @MainActor static func run(
    app: String = "Examples/TaskTracker",
    _ example: @MainActor (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(app: app) { server in
      let device = Device(folder: try TemporaryFolder(), url: server.url)
      try await $current.withValue(device) { try await example(server) }
    }
  }
}

extension App {
  /// The pages name an app by nothing but its id. Here it has its files in the device's folder.
  convenience init(id: String) {
    guard let device = Device.current else { preconditionFailure("examples run on a device") }
    self.init(
      id: id,
      configuration: AppConfiguration(baseURL: device.url, storageDirectory: device.folder.file("device"))
    )
  }
}
