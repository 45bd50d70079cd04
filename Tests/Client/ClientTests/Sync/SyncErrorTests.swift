// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncScheduling
import FlexSyncServerSupport
import Synchronization
import Testing

@testable import FlexSyncCore

@Suite struct SyncErrorTests {
  let server: SyncServer

  init() throws { server = try SyncServer() }

  // MARK: Queries

  // Feature 78, 82
  @Test func aRefusedSetFailsWithTheServersWordsAndTheOldOneStaysInForce() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    _ = try device.addTask("paint")
    let set = try device.setSubscriptions(["Task": "TRUEPREDICATE", "Team": "tasks.@count > 0"])
    let message = expectFailure(.FLX_STATUS_SUBSCRIPTION_FAILED) { try set.wait() }
    #expect(set.state == .FLX_SUBSCRIPTION_ERROR)
    #expect(set.error == message)
    #expect(!message.isEmpty)
    #expect(try device.realm.activeSet.version == set.version - 1)
    _ = try device.addTask("sweep")
    try device.upload()
    try device.subscribe(["Task": "taskName == 'sweep'"])
    try device.realm.refresh()
    #expect(try device.taskNames == ["sweep"])
  }

  // MARK: Writes

  @Test func aWriteOutsideTheViewIsTakenBackAndReported() throws {
    let device = try Device(server)
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "progressMinutes > 10"])
    _ = try device.addTask("good", minutes: 20)
    let bad = try device.addTask("bad", minutes: 5)
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.expect("the object goes") { try device.taskNames == ["good"] }
    let error = try #require(errors.events.first)
    #expect(error.status == .FLX_STATUS_WRITE_REJECTED)
    #expect(error.protocolCode == 231)
    #expect(!error.isFatal)
    #expect(error.message.contains("it has been reverted"))
    #expect(error.writes.count == 1)
    #expect(error.writes.first?.hasPrefix("Task objectId(\"\(bad)\")") == true)
    #expect(error.writes.first?.contains("object is outside of the current query view") == true)
    _ = try device.addTask("later", minutes: 30)
    try device.upload()
    try device.download()
    #expect(try device.taskNames == ["good", "later"])
    #expect(errors.events.count == 1)
  }

  // MARK: Users

  @Test func loggingOutEndsTheSessionAndLoggingInAgainResumesIt() throws {
    let device = try Device(server, email: "ada@example.com")
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.user.logOut()
    try device.session.waitFor(.FLX_CONNECTION_DISCONNECTED)
    #expect(try device.session.state == .FLX_SESSION_INACTIVE)
    _ = try device.addTask("written while logged out")
    expectFailure(.FLX_STATUS_SESSION_INACTIVE) { try device.upload() }
    _ = try device.app.logIn("ada@example.com", "secret123")
    try device.upload()
    #expect(try device.session.state == .FLX_SESSION_ACTIVE)
  }

  @Test func aLoggedOutUserCannotOpenARealm() throws {
    let device = try Device(server, email: "ada@example.com")
    device.close()
    try device.user.logOut()
    expectFailure(.FLX_STATUS_USER_LOGGED_OUT) { try device.open() }
  }

  @Test func aUserWithAnOpenRealmCannotBeRemoved() throws {
    let device = try Device(server, email: "ada@example.com")
    let path = flx_realm_path(try device.realm.handle).text
    let error = try #require(throws: CoreError.self) { try device.user.remove() }
    #expect(error.status == .alreadyOpen)
    #expect(device.user.state == .FLX_USER_LOGGED_IN)
    device.close()
    try device.user.remove()
    #expect(device.user.state == .FLX_USER_REMOVED)
    #expect(try FileSystem.read(path) == nil)
  }

  @Test func anotherUsersFileIsRefused() throws {
    let device = try Device(server, email: "ada@example.com")
    let path = flx_realm_path(try device.realm.handle).text
    device.close()
    try device.app.register("eve@example.com", "secret123")
    let eve = try device.app.logIn("eve@example.com", "secret123")
    expectFailure(.FLX_STATUS_INCOMPATIBLE_FILE) {
      _ = try TestRealm(path: path, classes: .taskTracker) { $0.user = eve.handle }
    }
  }

  // MARK: Tokens

  /// A server whose clock can be moved.
  private func serverWithClock() throws -> (SyncServer, MovableClock) {
    let clock = MovableClock()
    return (try SyncServer(clock: clock.wallClock), clock)
  }

  @Test func anExpiredTokenIsRefreshedBeforeConnecting() throws {
    let (server, clock) = try serverWithClock()
    // For the device, tokens of this server are expired from the start; for the server they are not.
    clock.move(bySeconds: -3600)
    let device = try Device(server, email: "ada@example.com")
    let token = device.user.accessToken
    // A token of another second is another text.
    clock.move(bySeconds: 5)
    device.close()
    try device.open()
    try device.download()
    #expect(device.user.accessToken != token)
  }

  @Test func aTokenThatTheServerRefusesIsRefreshed() throws {
    let (server, clock) = try serverWithClock()
    let device = try Device(server, email: "ada@example.com")
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.session.suspend()
    let token = device.user.accessToken
    // The device does not notice that its token has expired at the server.
    clock.move(bySeconds: 3600)
    try device.session.resume()
    try device.download()
    #expect(device.user.accessToken != token)
  }

  @Test func anEndedLoginIsReportedAndLogsTheUserOut() throws {
    let (server, clock) = try serverWithClock()
    let device = try Device(server, email: "ada@example.com")
    let errors = device.app.collectErrors()
    try device.download()
    try device.session.suspend()
    // Refresh tokens live 60 days.
    clock.move(bySeconds: 61 * 86_400)
    try device.session.resume()
    try errors.wait("the error comes") { $0.contains { $0.isFatal } }
    #expect(errors.events.last?.status == .FLX_STATUS_INVALID_SESSION)
    #expect(device.user.state == .FLX_USER_LOGGED_OUT)
    #expect(try device.session.state == .FLX_SESSION_INACTIVE)
  }

  @Test func aRefreshThatIsRefusedBeforeConnectingEndsTheSession() throws {
    let (server, clock) = try serverWithClock()
    // For the device, the token is expired already.
    clock.move(bySeconds: -3600)
    let device = try Device(server, email: "ada@example.com")
    let errors = device.app.collectErrors()
    // A refresh under way would be refused while there is no session to tell.
    try device.download()
    device.close()
    clock.move(bySeconds: 61 * 86_400)
    try device.open()
    try errors.wait("the error comes") { !$0.isEmpty }
    let error = try #require(errors.events.first)
    #expect(error.status == .FLX_STATUS_INVALID_SESSION)
    #expect(error.isFatal)
    #expect(device.user.state == .FLX_USER_LOGGED_OUT)
    _ = try device.app.logIn("ada@example.com", "secret123")
    clock.move(bySeconds: -61 * 86_400 + 3600)
    _ = try device.app.logIn("ada@example.com", "secret123")
    try device.download()
    #expect(try device.session.state == .FLX_SESSION_ACTIVE)
  }

  // MARK: Connections

  @Test func anUnreachableServerIsReportedOnce() throws {
    let device = try Device(server)
    try device.download()
    let errors = device.app.collectErrors()
    server.stop()
    try errors.wait("the error comes") { !$0.isEmpty }
    // The second attempt follows after a second.
    pause(milliseconds: 1500)
    let error = try #require(errors.events.first)
    #expect(error.status == .FLX_STATUS_CONNECTION_FAILED)
    #expect(!error.isFatal)
    #expect(errors.events.count == 1)
    #expect(try device.session.state == .FLX_SESSION_ACTIVE)
  }
}

/// A clock of a server that tests move.
final class MovableClock: Sendable {
  private let offset = Mutex<Int64>(0)

  func move(bySeconds seconds: Int64) { offset.withLock { $0 += seconds * 1000 } }

  var wallClock: WallClock {
    WallClock { [self] in WallClock.system.milliseconds() + offset.withLock { $0 } }
  }
}
