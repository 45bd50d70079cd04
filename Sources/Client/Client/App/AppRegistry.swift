// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The apps of this process: the same app id, base URL and storage directory yield the same app. Any thread.
enum AppRegistry {
  private struct Key: Hashable, Sendable {
    let appID: String
    let baseURL: String
    let storageDirectory: String
  }

  private static let apps = Mutex<[Key: WeakReference<App>]>([:])

  /// Returns the app of a configuration, creating it and its loop unless the process already has it.
  ///
  /// - Parameters:
  ///   - hosting: who runs the loop.
  ///   - hostLoop: the `uv_loop_t *` for `.host`.
  /// - Throws: `CoreError` INVALID_ARGUMENT if the process already has the app with other settings.
  static func app(
    _ configuration: AppConfiguration,
    hosting: Runtime.Hosting,
    hostLoop: UnsafeMutableRawPointer?
  ) throws -> App {
    let key = Key(
      appID: configuration.appID,
      baseURL: configuration.baseURL,
      storageDirectory: configuration.storageDirectory
    )
    // Another thread may release an app while it is examined here; the last reference must not be dropped under the
    // lock.
    var lookedAt: [App] = []
    defer { withExtendedLifetime(lookedAt) {} }
    return try apps.withLock { apps in
      lookedAt = apps.values.compactMap(\.object)
      if let app = apps[key]?.object {
        try app.requireSettings(configuration, hosting: hosting, hostLoop: hostLoop)
        return app
      }
      let app = try App(
        configuration: configuration,
        runtime: Runtime(hosting: hosting, hostLoop: hostLoop)
      )
      apps = apps.filter { $0.value.object != nil }
      apps[key] = WeakReference(app)
      return app
    }
  }
}

extension App {
  /// - Throws: `CoreError` INVALID_ARGUMENT, naming a setting in which this app differs.
  fileprivate func requireSettings(
    _ wanted: AppConfiguration,
    hosting: Runtime.Hosting,
    hostLoop: UnsafeMutableRawPointer?
  ) throws {
    var difference = configuration.difference(from: wanted)
    if runtime.hosting != hosting {
      difference = "loop_mode is \(runtime.hosting.cName), not \(hosting.cName)"
    } else if runtime.hostLoop != UInt(bitPattern: hostLoop) {
      difference = "uv_loop is a different loop"
    }
    guard let difference else { return }
    throw CoreError.invalidArgument(
      "The app '\(wanted.appID)' is already in use with different settings: its \(difference). "
        + "Use the same settings, or release the app and its users and realms first."
    )
  }
}

extension Runtime.Hosting {
  /// The value of `flx_loop_mode_t`.
  fileprivate var cName: String {
    switch self {
    case .ownThread: "FLX_LOOP_OWN_THREAD"
    case .host: "FLX_LOOP_HOST_UV"
    case .poll: "FLX_LOOP_POLL"
    }
  }
}
