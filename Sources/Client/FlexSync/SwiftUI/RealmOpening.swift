// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// Opens the realm of an app's current user, and again when another user becomes the current one.
@MainActor
final class RealmOpening: ObservableObject {
  @Published private(set) var state: AsyncOpenState
  private let app: App
  /// Whether to open the realm with the data on the device if the server cannot be reached.
  private let opensOffline: Bool
  /// The configuration of the program, whose sync configuration is replaced by that of the current user.
  var configuration: Realm.Configuration?
  private var user: User?
  private var appObservation: AnyCancellable?
  private var opening: AnyCancellable?

  init(_ app: App, _ configuration: Realm.Configuration?, opensOffline: Bool) {
    self.app = app
    self.configuration = configuration
    self.opensOffline = opensOffline
    user = app.currentUser
    state = user == nil ? .waitingForUser : .connecting
  }

  /// Begins to open and to follow the app.
  func start() {
    guard appObservation == nil else { return }
    appObservation = app.objectWillChange.sink { [weak self] app in
      self?.follow(app.currentUser)
    }
    if let user { open(user) }
  }

  /// Ends the opening, and following the app.
  func cancel() {
    opening = nil
    appObservation?.cancel()
  }

  private func follow(_ current: User?) {
    guard current != user else { return }
    user = current
    guard let current else {
      opening = nil
      state = .waitingForUser
      return
    }
    state = .connecting
    open(current)
  }

  private func open(_ user: User) {
    let configuration = configuration(of: user)
    opening = Realm.asyncOpen(configuration: configuration)
      .onProgressNotification { [weak self] progress in
        MainActor.assumeIsolated { self?.note(progress) }
      }
      .sink { [weak self] completion in
        guard case .failure(let error) = completion else { return }
        self?.fail(error, configuration)
      } receiveValue: { [weak self] realm in
        self?.state = .open(realm)
      }
  }

  private func configuration(of user: User) -> Realm.Configuration {
    let initial = configuration?.syncConfiguration?.initialSubscriptions
    let own = user.flexibleSyncConfiguration(
      cancelAsyncOpenOnNonFatalErrors: true,
      initialSubscriptions: initial?.callback,
      rerunOnOpen: initial?.rerunOnOpen ?? false
    )
    guard var configuration else { return own }
    Misuse.require(
      configuration.syncConfiguration != nil,
      "The used configuration was not configured with sync."
    )
    configuration.syncConfiguration = own.syncConfiguration
    return configuration
  }

  private func note(_ progress: SyncSession.Progress) {
    switch state {
    case .connecting, .waitingForUser, .progress:
      let total = Progress(totalUnitCount: Int64(progress.transferrableBytes))
      total.completedUnitCount = Int64(progress.transferredBytes)
      state = .progress(total)
    case .open, .error: break
    }
  }

  private func fail(_ error: any Error, _ configuration: Realm.Configuration) {
    if opensOffline, let realm = try? Realm(configuration: configuration) {
      state = .open(realm)
    } else {
      state = .error(error)
    }
  }
}

extension App {
  /// Returns the app that a view means: the one of an id, or the only one that the program has.
  @MainActor
  static func forView(_ id: String?, timeout: UInt?) -> App {
    let app = known(id)
    if let timeout { app.syncManager.timeoutOptions = SyncTimeoutOptions(connectTimeout: timeout) }
    return app
  }

  private static func known(_ id: String?) -> App {
    let apps = App.open
    if let id { return apps.last { $0.appId == id } ?? App(id: id) }
    Misuse.require(
      apps.count <= 1,
      "Cannot AsyncOpen the Realm because more than one appId was found. When using multiple Apps you must explicitly pass an appId to indicate which to use."
    )
    guard let app = apps.first else {
      Misuse.stop(
        "Cannot AsyncOpen the Realm because no appId was found. You must either explicitly pass an appId or initialize an App before displaying your View."
      )
    }
    return app
  }
}
