// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import FlexSyncOpenCombine
import FlexSyncSwiftUI
import SwiftUIStubs
import Testing

/// `@AsyncOpen` and `@AutoOpen`, over stubs of SwiftUI, with a server in a process of its own.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct RealmOpeningTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The state, in a word.
  private func word(_ state: AsyncOpenState) -> String {
    switch state {
    case .connecting: "connecting"
    case .waitingForUser: "waiting"
    case .open: "open"
    case .progress: "progress"
    case .error: "error"
    }
  }

  @Test func theRealmIsOpenedOnceSomebodyIsLoggedIn() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let opening = AsyncOpen(of: app)
      #expect(word(opening.wrappedValue) == "waiting")
      let user = try await app.login(credentials: .anonymous)
      try await eventually { word(opening.wrappedValue) == "open" }
      guard case .open(let realm) = opening.wrappedValue else { return }
      #expect(realm.configuration.syncConfiguration?.user == user)
      try await user.logOut()
      try await eventually { word(opening.wrappedValue) == "waiting" }
      opening.cancel()
    }
  }

  @Test func anAppIsFoundByItsId() async throws {
    let app = App(id: "wrapped", configuration: AppConfiguration(storageDirectory: folder.file("wrapped")))
    let opening = AsyncOpen(appId: "wrapped", timeout: 1234)
    #expect(word(opening.wrappedValue) == "waiting")
    #expect(app.syncManager.timeoutOptions?.connectTimeout == 1234)
  }

  @Test func statesArePublished() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      _ = try await app.login(credentials: .anonymous)
      let opening = AsyncOpen(of: app)
      var states: [String] = []
      let subscription = opening.projectedValue.sink { states.append(word($0)) }
      #expect(word(opening.wrappedValue) == "connecting")
      try await eventually { states.last == "open" }
      #expect(states.first == "connecting")
      subscription.cancel()
    }
  }

  @Test func withoutAServerAsyncOpenFailsAndAutoOpenUsesTheDevice() async throws {
    try await TestServer.run { server in
      let app = server.app(folder)
      let user = try await app.login(credentials: .anonymous)
      _ = try await Realm(configuration: user.flexibleSyncConfiguration(), downloadBeforeOpen: .once)
      server.stop()
      let strict = AsyncOpen(of: app)
      try await eventually { word(strict.wrappedValue) == "error" }
      let lenient = AutoOpen(of: app)
      try await eventually { word(lenient.wrappedValue) == "open" }
    }
  }
}
