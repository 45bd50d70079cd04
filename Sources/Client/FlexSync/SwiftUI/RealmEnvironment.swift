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

private struct RealmConfigurationKey: EnvironmentKey {
  static var defaultValue: Realm.Configuration { .defaultConfiguration }
}

extension EnvironmentValues {
  /// The configuration of the realms that `@ObservedResults` and `@AsyncOpen` open without one of their own.
  public var realmConfiguration: Realm.Configuration {
    get { self[RealmConfigurationKey.self] }
    set { self[RealmConfigurationKey.self] = newValue }
  }

  /// The realm of `realmConfiguration`. One that cannot be opened stops the program.
  public var realm: Realm {
    get {
      do { return try Realm(configuration: realmConfiguration) } catch { Misuse.stop("\(error)") }
    }
    set { realmConfiguration = newValue.configuration }
  }
}
