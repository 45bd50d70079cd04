// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncConfiguration
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

  // MARK: Transactions that are too large

  /// A server that accepts 1 MiB at a time, and a device that has committed more.
  private func oversized() throws -> (server: SyncServer, device: Device, id: String, error: ReportedError) {
    var limits = ServerLimits()
    limits.changesetByteCount = 1 << 20
    let server = try SyncServer(clientLimits: limits)
    let device = try Device(server)
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "TRUEPREDICATE"])
    let id = try device.addTask(String(repeating: "x", count: 2 << 20))
    _ = try device.addTask("later")
    try errors.wait("the error comes") { $0.contains { $0.isFatal } }
    return (server, device, id, try #require(errors.events.last))
  }

  @Test func aTransactionThatIsTooLargeForTheServerIsNamedAndUploadedOnceTheLimitIsRaised() throws {
    let (server, device, id, error) = try oversized()
    #expect(error.status == .FLX_STATUS_SESSION_FAILED && error.protocolCode == 212)
    #expect(error.message.contains("the server accepts at most 1048576"))
    #expect(error.message.contains("bytes of changes, to Task ObjectID(\"\(id)\")"))
    #expect(error.message.contains("until the operator raises the server's limit"))
    server.stop()
    server.clientLimits = ServerLimits()
    try server.start()
    try device.session.resume()
    try device.upload()
  }

  @Test func whatATransactionThatIsTooLargeHoldsUpCanMoveToANewFile() throws {
    let (server, device, _, _) = try oversized()
    // As Docs/C.md says: keep the data, begin anew, and write again what has not arrived.
    let copy = "\(device.folder.path)/kept.realm"
    let held = try device.realm.handle
    try copy.withC { path in
      var destination = flx_realm_config_t()
      destination.struct_size = MemoryLayout<flx_realm_config_t>.size
      destination.path = path
      try attempt { flx_realm_write_copy(held, &destination, $0) }
    }
    device.close()
    var isDeleted = false
    var config = flx_realm_config_t()
    config.struct_size = MemoryLayout<flx_realm_config_t>.size
    config.user = device.user.handle
    try attempt { flx_realm_delete_files(&config, &isDeleted, $0) }
    #expect(isDeleted)
    try device.open()
    try device.subscribe(["Task": "TRUEPREDICATE"])
    let kept = try TestRealm(path: copy, classes: .taskTracker) { $0.read_only = true }
    for name in try kept.taskNames { _ = try device.addTask(String(name.prefix(100))) }
    try device.upload()
    #expect(try device.taskNames == ["later", String(repeating: "x", count: 100)])
    withExtendedLifetime(server) {}
  }

  // MARK: Schema versions

  @Test func theServerLearnsTheVersionOfTheSchema() throws {
    let app = try TestApp(schemaVersion: 2)
    let server = try SyncServer(app: app.path)
    let device = try Device(server)
    let errors = device.app.collectErrors()
    try device.session.suspend()
    try device.session.resume()
    try errors.wait("the error comes") { $0.contains { $0.isFatal } }
    #expect(errors.events.last?.protocolCode == 235)
    #expect(errors.events.last?.message.contains("Open the realm with schemaVersion 2") == true)
    device.close()
    try device.open { $0.schema_version = 2 }
    try device.subscribe(["Task": "TRUEPREDICATE"])
    _ = try device.addTask("paint")
    try device.upload()
    withExtendedLifetime(app) {}
  }

  @Test(arguments: [
    (flx_schema_mode_t.FLX_SCHEMA_VERSIONED, "FLX_SCHEMA_VERSIONED"),
    (.FLX_SCHEMA_VERSIONED_OR_RESET, "FLX_SCHEMA_VERSIONED_OR_RESET"),
  ])
  func aSyncedRealmIsNotMigrated(mode: flx_schema_mode_t, name: String) throws {
    let device = try Device(server)
    device.close()
    let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try device.open { $0.schema_mode = mode } }
    #expect(message.contains("schema_mode \(name)"))
    #expect(message.contains("leave schema_mode at FLX_SCHEMA_ADDITIVE"))
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

  @Test func whatAnAnonymousUserHasNotUploadedOutlivesTheLoginThatTheServerEnds() throws {
    try server.backUp()
    let device = try Device(server)
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.session.suspend()
    _ = try device.addTask("written offline")
    let path = flx_realm_path(try device.realm.handle).text
    // The user is newer than the backup.
    try server.restore()
    try device.session.resume()
    try errors.wait("the error comes") { $0.contains { $0.isFatal } }
    let error = try #require(errors.events.last)
    #expect(error.status == .FLX_STATUS_INVALID_SESSION)
    #expect(error.recoveryPath == path)
    #expect(error.message.contains(path) && error.message.contains("An anonymous user cannot do that"))
    #expect(device.user.state == .FLX_USER_LOGGED_OUT)
    device.close()
    // As after a new start of the program: the user who left something is known, and another one logs in.
    let left = try #require(flx_app_get_user_at(device.app.handle, 0).map(CUser.init))
    #expect(left.id == device.user.id && left.state == .FLX_USER_LOGGED_OUT)
    #expect(device.app.currentUser == nil)
    let other = try device.app.logInAnonymously()
    #expect(other.id != left.id)
    let realm = try TestRealm(path: path, classes: .taskTracker) { $0.read_only = true }
    #expect(try realm.taskNames == ["written offline"])
    realm.release()
    try left.remove()
    #expect(left.state == .FLX_USER_REMOVED)
    #expect(try FileSystem.read(path) == nil)
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
