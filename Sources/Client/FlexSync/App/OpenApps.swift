// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The apps that the program has opened and still uses.
enum OpenApps {
  private struct WeakApp: Sendable {
    weak let app: App?
  }

  private static let apps = Mutex<[WeakApp]>([])

  static func note(_ app: App) {
    apps.withLock { apps in
      apps.removeAll { $0.app == nil }
      apps.append(WeakApp(app: app))
    }
  }

  /// The apps; one of several instances that are the same app.
  static var all: [App] {
    apps.withLock { $0.compactMap(\.app) }.reduce(into: []) { all, app in
      if !all.contains(app) { all.append(app) }
    }
  }
}

extension App {
  /// The apps that the program has opened and still uses.
  package static var open: [App] { OpenApps.all }
}
