// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncScheduling
import FlexSyncStore
import FlexSyncWire
import Foundation
import Synchronization
import Testing

@testable import FlexSyncCore

/// Client resets, on a real socket with a server that was restored from a backup or forgot a file.
@Suite struct ClientResetTests {
  let server: SyncServer

  init() throws { server = try SyncServer() }

  // MARK: Modes

  // Feature 161
  @Test func recoveryUploadsWhatTheServerHasNot() throws {
    let device = try resettable(.FLX_CLIENT_RESET_RECOVER_UNSYNCED)
    let errors = device.app.collectErrors()
    try resetServer(device)
    try device.expect("the reset") { try device.taskNames == ["common", "offline"] }
    try device.upload()
    let other = try Device(server)
    try other.subscribe(["Task": "TRUEPREDICATE"])
    try other.realm.refresh()
    #expect(try other.taskNames == ["common", "offline"])
    try goesOn(device, other)
    #expect(errors.fatal == nil)
  }

  // Feature 161
  @Test func discardingTakesAwayWhatTheServerHasNot() throws {
    let device = try resettable(.FLX_CLIENT_RESET_DISCARD_UNSYNCED)
    try resetServer(device)
    try device.expect("the reset") { try device.taskNames == ["common"] }
    let other = try Device(server)
    try other.subscribe(["Task": "TRUEPREDICATE"])
    try goesOn(device, other)
    #expect(try other.taskNames == device.taskNames)
  }

  @Test(arguments: [
    (flx_client_reset_mode_t.FLX_CLIENT_RESET_DISCARD_UNSYNCED, ["common"]),
    (.FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED, ["common"]),
  ])
  func whereRecoveryIsForbiddenChangesAreDiscarded(mode: flx_client_reset_mode_t, names: [String]) throws {
    let app = try TestApp(recoveryDisabled: true)
    let server = try SyncServer(app: app.path)
    let device = try resettable(mode, server)
    try resetServer(device, server)
    try device.expect("the reset") { try device.taskNames == names }
    withExtendedLifetime(app) {}
  }

  @Test func recoveryThatIsForbiddenFails() throws {
    let app = try TestApp(recoveryDisabled: true)
    let server = try SyncServer(app: app.path)
    let device = try resettable(.FLX_CLIENT_RESET_RECOVER_UNSYNCED, server)
    let errors = device.app.collectErrors()
    try resetServer(device, server)
    try errors.wait("the error") { $0.contains(where: \.isFatal) }
    #expect(errors.fatal?.status == .FLX_STATUS_CLIENT_RESET_FAILED)
    #expect(errors.fatal?.message.contains("forbids") == true)
    #expect(try device.taskNames.contains("offline"))
    #expect(try device.session.state == .FLX_SESSION_INACTIVE)
    withExtendedLifetime(app) {}
  }

  // Feature 161
  @Test func aManualResetBacksTheFileUpAndStartsAnew() throws {
    let device = try resettable(.FLX_CLIENT_RESET_MANUAL)
    let errors = device.app.collectErrors()
    try resetServer(device)
    try errors.wait("the error") { $0.contains(where: \.isFatal) }
    let error = try #require(errors.fatal)
    #expect(error.status == .FLX_STATUS_CLIENT_RESET)
    #expect(error.recoveryPath.contains("/recovered-realms/recovered_realm-"))
    #expect(try device.taskNames.contains("offline"))
    device.close()
    try device.open()
    #expect(try device.taskNames.isEmpty)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.realm.refresh()
    #expect(try device.taskNames == ["common"])
    #expect(FileManager.default.fileExists(atPath: error.recoveryPath))
  }

  @Test func aManualResetCanBeDoneWithoutOpeningTheRealm() throws {
    let device = try resettable(.FLX_CLIENT_RESET_MANUAL)
    let errors = device.app.collectErrors()
    let session = try device.session
    try resetServer(device)
    try errors.wait("the error") { $0.contains(where: \.isFatal) }
    expectFailure(.FLX_STATUS_ALREADY_OPEN) { _ = try session.performClientReset() }
    let path = try device.realm.path
    device.close()
    #expect(try session.performClientReset())
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try !session.performClientReset())
  }

  // MARK: Callbacks

  @Test func theProgramSeesWhatWasBeforeAndWhatIsAfter() throws {
    let device = try Device(server)
    let box = CallbackBox<String>()
    device.close()
    try device.open { config in
      config.client_reset_mode = .FLX_CLIENT_RESET_RECOVER_UNSYNCED
      config.client_reset_userdata = box.retained
      config.free_client_reset_userdata = { CallbackBox<String>.free($0) }
      config.before_client_reset = { userdata, before in
        CallbackBox<String>.of(userdata).add("before: \(names(before))")
      }
      config.after_client_reset = { userdata, before, after, didRecover in
        var error = flx_error_t()
        let status = flx_realm_begin_write(before, &error)
        CallbackBox<String>.of(userdata).add(
          "after: \(names(before)) \(names(after)) \(didRecover) \(status == .FLX_STATUS_UNSUPPORTED)"
        )
      }
    }
    try prepare(device, server)
    try resetServer(device)
    try box.wait("the callbacks") { $0.count == 2 }
    #expect(
      box.events == [
        "before: common,lost,offline", "after: common,lost,offline common,offline true true",
      ]
    )
  }

  @Test func errorsOfResetsGoToTheirOwnHandler() throws {
    let device = try Device(server)
    let (errors, box) = (device.app.collectErrors(), CallbackBox<String>())
    device.close()
    try device.open { config in
      config.client_reset_userdata = box.retained
      config.free_client_reset_userdata = { CallbackBox<String>.free($0) }
      config.client_reset_error = { userdata, _, error in
        CallbackBox<String>.of(userdata).add(error.pointee.message.text)
      }
    }
    try prepare(device, server)
    try resetServer(device)
    try box.wait("the error") { !$0.isEmpty }
    #expect(errors.fatal == nil)
  }

  @Test func objectsStayValidAndObserversLearnWhatChanged() throws {
    let device = try resettable(.FLX_CLIENT_RESET_DISCARD_UNSYNCED)
    let common = try device.realm.objects("Task").filter("taskName == 'common'").object(at: 0)
    try resetServer(device) {
      try device.realm.write { try common.set("progressMinutes", .int(99)) }
    }
    try device.expect("the reset") { try device.taskNames == ["common"] }
    #expect(common.isValid)
    #expect(try common.get("progressMinutes") == .int(0))
  }

  // MARK: Subscriptions

  @Test func recoveryKeepsSubscriptionsThatWaited() throws {
    let device = try resettable(.FLX_CLIENT_RESET_RECOVER_UNSYNCED)
    var set: TestSet?
    try resetServer(device) { set = try device.setSubscriptions(["Task": "taskName == 'offline'"]) }
    try #require(set).wait()
    try device.realm.refresh()
    #expect(try device.taskNames == ["offline"])
  }

  @Test func discardingKeepsOnlyTheActiveSubscriptions() throws {
    let device = try resettable(.FLX_CLIENT_RESET_DISCARD_UNSYNCED)
    let active = try device.realm.activeSet.version
    var set: TestSet?
    try resetServer(device) { set = try device.setSubscriptions(["Task": "taskName == 'offline'"]) }
    expectFailure(.FLX_STATUS_SUBSCRIPTION_SUPERSEDED) { try #require(set).wait() }
    #expect(try device.realm.latestSet.version == active)
  }

  // MARK: Other causes

  @Test(arguments: [
    flx_client_reset_mode_t.FLX_CLIENT_RESET_RECOVER_UNSYNCED, .FLX_CLIENT_RESET_DISCARD_UNSYNCED,
  ])
  func aFileThatWasAwayForTooLongStartsOver(mode: flx_client_reset_mode_t) throws {
    let days = Mutex<Int64>(0)
    let clock = WallClock { WallClock.system.milliseconds() + days.withLock { $0 } * 86_400_000 }
    let server = try SyncServer(clock: clock)
    let device = try resettable(mode, server)
    device.close()
    // The file counts as seen until then.
    try server.waitForTheEndOfSessions()
    days.withLock { $0 += 40 }
    try device.open { config in
      config.client_reset_mode = mode
      config.starts_suspended = true
    }
    _ = try device.addTask("offline")
    try device.session.resume()
    let names =
      mode == .FLX_CLIENT_RESET_RECOVER_UNSYNCED ? ["common", "lost", "offline"] : ["common", "lost"]
    try device.upload()
    try device.download()
    let found = try device.taskNames
    #expect(found == names)
  }

  @Test func aServerWithoutItsDataGetsThemFromTheDevice() throws {
    let device = try Device(server)
    try server.backUp()
    device.close()
    try device.open { $0.client_reset_mode = .FLX_CLIENT_RESET_RECOVER_UNSYNCED }
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.upload()
    try resetServer(device)
    try device.expect("the reset") { try device.taskNames == ["offline"] }
    try device.upload()
  }

  // MARK: Interruptions

  @Test func anInterruptedResetBeginsAgain() throws {
    let device = try resettable(.FLX_CLIENT_RESET_RECOVER_UNSYNCED)
    try device.session.suspend()
    _ = try device.addTask("offline")
    let path = try device.realm.path
    try server.restore()
    device.close()
    // A process has come as far as a part of the fresh copy.
    try withFile(path, device) { file in
      try file.setClientReset(
        ClientResetRecord(stage: .demanded, kind: .recover, code: 208, text: "please reset")
      )
    }
    try withFile("\(path).fresh", device) { try $0.setFileIdent(SaltedFileIdent(ident: 77, salt: 7)) }
    try device.open { $0.client_reset_mode = .FLX_CLIENT_RESET_RECOVER_UNSYNCED }
    try device.expect("the reset") { try device.taskNames == ["common", "offline"] }
    try device.upload()
    try device.download()
    #expect(!DatabaseFiles.exist(at: "\(path).fresh"))
    device.close()
    #expect(try withFile(path, device) { try $0.clientReset() } == nil)
  }

  @Test(arguments: [
    (flx_client_reset_mode_t.FLX_CLIENT_RESET_RECOVER_UNSYNCED, nil as [String]?),
    (.FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED, ["common"]),
  ])
  func aSecondResetInARowDoesNotRecoverAgain(mode: flx_client_reset_mode_t, names: [String]?) throws {
    let device = try resettable(mode)
    let errors = device.app.collectErrors()
    try device.session.suspend()
    _ = try device.addTask("offline")
    let path = try device.realm.path
    try server.restore()
    device.close()
    try withFile(path, device) { file in
      try file.setClientReset(ClientResetRecord(stage: .performed, kind: .recover, code: 208, text: ""))
    }
    try device.open { $0.client_reset_mode = mode }
    if let names {
      try device.expect("the reset") { try device.taskNames == names }
    } else {
      try errors.wait("the error") { $0.contains(where: \.isFatal) }
      #expect(errors.fatal?.status == .FLX_STATUS_CLIENT_RESET_FAILED)
    }
  }

  // MARK: Support

  /// A device with a task that is in the server's backup, and one that is not.
  private func resettable(_ mode: flx_client_reset_mode_t, _ other: SyncServer? = nil) throws -> Device {
    let server = other ?? server
    let device = try Device(server)
    device.close()
    try device.open { $0.client_reset_mode = mode }
    try prepare(device, server)
    return device
  }

  private func prepare(_ device: Device, _ server: SyncServer) throws {
    try device.subscribe(["Task": "TRUEPREDICATE"])
    _ = try device.addTask("common")
    try device.upload()
    try device.session.suspend()
    try server.backUp()
    try device.session.resume()
    _ = try device.addTask("lost")
    try device.upload()
    try device.download()
  }

  /// Restores the server's backup while the device is away and adds a task.
  private func resetServer(
    _ device: Device,
    _ other: SyncServer? = nil,
    meanwhile: () throws -> Void = {}
  ) throws {
    try device.session.suspend()
    _ = try device.addTask("offline")
    try meanwhile()
    try (other ?? server).restore()
    try device.session.resume()
  }

  /// Both devices see what the other one does.
  private func goesOn(_ device: Device, _ other: Device) throws {
    _ = try device.addTask("later")
    try other.expect("the task") { try other.taskNames.contains("later") }
    _ = try other.addTask("from the other")
    try device.expect("the task") { try device.taskNames.contains("from the other") }
  }

  private func withFile<Result>(_ path: String, _ device: Device, _ body: (RealmFile) throws -> Result) throws
    -> Result
  {
    let owner = RealmOwner.synced(appID: "tasktracker-abcde", userID: device.user.id)
    return try body(
      RealmFile.open(DatabaseConfiguration(location: .file(path), application: .realm), owner: owner)
    )
  }
}

extension CallbackBox<ReportedError> {
  fileprivate var fatal: ReportedError? { events.first(where: \.isFatal) }
}

private func names(_ realm: OpaquePointer) -> String {
  ((try? TestRealm(borrowing: realm).taskNames) ?? ["?"]).joined(separator: ",")
}

extension TestSession {
  fileprivate func performClientReset() throws -> Bool {
    var isDone = false
    try attempt { flx_session_perform_client_reset(handle, &isDone, $0) }
    return isDone
  }
}

extension TestRealm {
  fileprivate var path: String { flx_realm_path(handle).text }
}
