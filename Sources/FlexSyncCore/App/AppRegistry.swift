// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The apps of this process: the same app id, base URL and storage directory give the same app. Any thread.
enum AppRegistry {
  private struct Key: Hashable, Sendable {
    let appID: String
    let baseURL: String
    let storageDirectory: String
  }

  private static let apps = Mutex<[Key: WeakReference<App>]>([:])

  /// The app of a configuration; made, with its loop, unless the process has it.
  static func app(
    _ configuration: AppConfiguration,
    makeRuntime: () throws -> Runtime
  ) throws -> App {
    let key = Key(
      appID: configuration.appID,
      baseURL: configuration.baseURL,
      storageDirectory: configuration.storageDirectory
    )
    return try apps.withLock { apps in
      if let app = apps[key]?.object { return app }
      let app = try App(configuration: configuration, runtime: try makeRuntime())
      apps = apps.filter { $0.value.object != nil }
      apps[key] = WeakReference(app)
      return app
    }
  }
}
