// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// Opens the realm of an app's current user for a view, after downloading its data. The view gets the state of that.
///
/// ```swift
/// @AsyncOpen(appId: "tasktracker-abcde") var opening
///
/// var body: some View {
///   switch opening {
///   case .open(let realm): TaskList().environment(\.realm, realm)
///   case .error(let error): Text(error.localizedDescription)
///   default: ProgressView()
///   }
/// }
/// ```
public typealias AsyncOpen = RealmOpener<_ReportsFailures>

/// Opens the realm of an app's current user for a view, like `AsyncOpen`, and with the data on the device if the server
/// cannot be reached.
public typealias AutoOpen = RealmOpener<_OpensOffline>

/// The behaviour of a `RealmOpener` when the server cannot be reached.
public protocol _OpeningPolicy {
  /// Whether to open the realm with the data on the device.
  static var opensOffline: Bool { get }
}

public enum _ReportsFailures: _OpeningPolicy {
  public static var opensOffline: Bool { false }
}

public enum _OpensOffline: _OpeningPolicy {
  public static var opensOffline: Bool { true }
}

/// The implementation that `AsyncOpen` and `AutoOpen` share.
@MainActor
@propertyWrapper
public struct RealmOpener<Policy: _OpeningPolicy>: DynamicProperty {
  @Environment(\.realmConfiguration) private var configuration
  @ObservedObject private var storage: RealmOpening

  /// The state of the opening, which begins when it is first read.
  public var wrappedValue: AsyncOpenState { storage.startedState }

  /// Publishes each state.
  public var projectedValue: Published<AsyncOpenState>.Publisher { storage.$state }

  /// - Parameters:
  ///   - appId: the id of the app; nil for the only app that the program has.
  ///   - configuration: a configuration with sync, of which the current user's realm gets all but the user; nil for the
  ///     user's own.
  ///   - timeout: the number of milliseconds after which connecting to the server fails.
  public init(appId: String? = nil, configuration: Realm.Configuration? = nil, timeout: UInt? = nil) {
    self.init(of: App.forView(appId, timeout: timeout), configuration)
  }

  package init(of app: App, _ configuration: Realm.Configuration? = nil) {
    _storage = ObservedObject(
      wrappedValue: RealmOpening(app, configuration, opensOffline: Policy.opensOffline)
    )
  }

  /// Ends the opening. It does not begin again.
  public func cancel() { storage.cancel() }

  public nonisolated func update() { MainActor.assumeIsolated { storage.adopt(configuration) } }
}

extension RealmOpening {
  fileprivate var startedState: AsyncOpenState {
    start()
    return state
  }

  /// Takes the configuration of the environment if it is one for sync.
  fileprivate func adopt(_ environment: Realm.Configuration) {
    if environment.syncConfiguration != nil { configuration = environment }
  }
}
