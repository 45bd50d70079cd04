// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends that come while something is going on.
@Suite struct EndingTests {
  #if canImport(Glibc)
  private let socketType = Int32(SOCK_STREAM.rawValue)
  #else
  private let socketType = SOCK_STREAM
  #endif

  /// A port on which the system accepts connections, and nobody answers.
  private func silentPort() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, socketType, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) | listen(descriptor, 8) | getsockname(descriptor, address, &size)
      }
    }
    try #require(code == 0)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  @Test func aLoopThatStopsWhileASessionConnectsIsNotReported() throws {
    let account = try TestAccount()
    let (descriptor, port) = try silentPort()
    defer { close(descriptor) }
    let app = try CApp(url: "http://127.0.0.1:\(port)", folder: account.folder.path)
    let errors = app.collectErrors()
    let user = try #require(app.currentUser)
    let realm = try TestRealm { $0.user = user.handle }
    let session = TestSession(try #require(flx_realm_get_session(realm.handle)))
    while session.connectionState != .FLX_CONNECTION_CONNECTING { pause(milliseconds: 1) }
    // As at the end of the process.
    let loop = user.user.app.runtime.loop
    loop.stop()
    while !loop.isFinished { pause(milliseconds: 1) }
    #expect(errors.events.isEmpty)
    expectFailure(.FLX_STATUS_CANCELED) { try session.wait(.FLX_DIRECTION_UPLOAD) }
  }

  @Test func waitingForAClosedSessionEndsAtOnce() throws {
    let account = try TestAccount()
    let realm = try account.open()
    let session = TestSession(try #require(flx_realm_get_session(realm.handle)))
    let set = try realm.latestSet
    realm.release()
    for direction in [flx_direction_t.FLX_DIRECTION_UPLOAD, .FLX_DIRECTION_DOWNLOAD] {
      expectFailure(.FLX_STATUS_SESSION_INACTIVE) { try session.wait(direction) }
    }
    expectFailure(.FLX_STATUS_SESSION_INACTIVE) { try set.wait() }
  }

  @Test func aRealmMayBeReleasedWhileItsListenerIsAtWork() throws {
    let server = try SyncServer()
    let (writer, reader) = (try Device(server), try Device(server))
    for device in [writer, reader] { try device.subscribe(["Task": "TRUEPREDICATE"]) }
    let steps = CallbackBox<String>()
    flx_realm_set_changed_callback(
      try reader.realm.handle,
      { userdata in
        let steps = CallbackBox<String>.of(userdata)
        steps.add("called")
        for _ in 0..<2000 where !steps.events.contains("released") { pause(milliseconds: 1) }
        steps.add("returns")
      },
      steps.retained
    ) { CallbackBox<String>.free($0) }
    _ = try writer.addTask("paint")
    try steps.wait("the listener is called") { $0.contains("called") }
    reader.close()
    steps.add("released")
    try steps.wait("the listener returns") { $0.contains("returns") }
    #expect(steps.events == ["called", "released", "returns"])
  }

  @Test func releasingATokenDoesNotWaitForItsCallback() throws {
    let server = try SyncServer()
    let device = try Device(server)
    let set = try device.setSubscriptions(["Task": "TRUEPREDICATE"])
    let steps = CallbackBox<String>()
    var token: OpaquePointer?
    try attempt {
      flx_subscription_set_observe(
        set.handle,
        { userdata, _ in
          let steps = CallbackBox<String>.of(userdata)
          steps.add("called")
          for _ in 0..<5000 where !steps.events.contains("released") { pause(milliseconds: 1) }
          steps.add("returns")
        },
        steps.retained,
        { userdata in
          CallbackBox<String>.of(userdata).add("freed")
          CallbackBox<String>.free(userdata)
        },
        &token,
        $0
      )
    }
    try steps.wait("the observer is called") { $0.contains("called") }
    flx_notification_token_release(token)
    steps.add("released")
    try steps.wait("the userdata is freed") { $0.contains("freed") }
    #expect(steps.events == ["called", "released", "returns", "freed"])
  }

  @Test func waitingForAChangePumpsAPolledLoop() throws {
    let server = try SyncServer()
    let writer = try Device(server, email: "ada@example.com")
    try writer.subscribe(["Task": "TRUEPREDICATE"])
    let folder = TemporaryFolder()
    let app = try CApp(
      url: server.url,
      folder: folder.path,
      id: "tasktracker-abcde",
      loopMode: .FLX_LOOP_POLL
    )
    let user = try app.logIn("ada@example.com", "secret123")
    let realm = try TestRealm(classes: .taskTracker) { $0.user = user.handle }
    try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }.wait()
    try realm.refresh()
    _ = try writer.addTask("paint")
    var hasChanged = false
    try attempt { flx_realm_wait_for_change(realm.handle, Patience.milliseconds, &hasChanged, $0) }
    #expect(hasChanged)
    try realm.refresh()
    #expect(try realm.objects("Task").count == 1)
    try attempt { flx_realm_wait_for_change(realm.handle, 20, &hasChanged, $0) }
    #expect(!hasChanged)
  }

  @Test func aSyncedRealmIsNotWaitedForOnTheLoop() throws {
    let account = try TestAccount()
    let realm = try account.open()
    let results = CallbackBox<flx_status_t>()
    nonisolated(unsafe) let handle = realm.handle
    account.user.user.app.post {
      var hasChanged = false
      results.add(flx_realm_wait_for_change(handle, 0, &hasChanged, nil))
    }
    try results.wait("the call returns") { $0 == [.FLX_STATUS_INVALID_ARGUMENT] }
  }
}
