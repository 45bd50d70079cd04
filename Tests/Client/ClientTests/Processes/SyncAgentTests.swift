// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Several processes with one synced realm, of which one syncs.
@Suite struct SyncAgentTests {
  let server: SyncServer
  let folder = TemporaryFolder()
  /// The realm of this process, which several have open.
  let device: Device
  /// Another device of the same user, which sees what is on the server.
  let witness: Device

  init() throws {
    server = try SyncServer()
    device = try Device(server, email: "ada@example.com")
    try device.subscribe(["Task": "TRUEPREDICATE"])
    witness = try Device(server, email: "ada@example.com")
    try witness.subscribe(["Task": "TRUEPREDICATE"])
  }

  private func peer(_ name: String = "peer") throws -> ProcessPeer {
    try ProcessPeer(device, folder: folder.file(name))
  }

  private func expectOnServer(_ names: [String]) throws {
    try witness.expect("\(names) are on the server") { try witness.taskNames == names }
  }

  private func isAgent() throws -> Bool { try device.session.isSyncAgent }

  private func expectAgent(_ peer: ProcessPeer, seconds: Double = 2) throws {
    let deadline = Clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
    while try peer.perform("agent") != "1" {
      guard Clock.monotonicNanoseconds() < deadline else {
        throw Failure(
          status: .FLX_STATUS_TIMED_OUT,
          message: "the other process does not become the sync agent"
        )
      }
      pause(milliseconds: 1)
    }
  }

  // MARK: Following

  // Feature 139
  @Test func oneProcessSyncsAndTheOthersWriteAndRead() throws {
    let peer = try peer()
    #expect(try isAgent())
    #expect(try peer.perform("agent") == "0")
    try peer.perform("create 1 of the peer")
    try expectOnServer(["of the peer"])
    _ = try device.addTask("own")
    try expectOnServer(["of the peer", "own"])
    _ = try witness.addTask("of the witness")
    try witness.upload()
    #expect(try peer.perform("download") == "OK")
    #expect(try peer.perform("names") == "of the peer,of the witness,own")
  }

  @Test func downloadsAreReportedToTheOthers() throws {
    let peer = try peer()
    try peer.perform("observe")
    peer.begin("changes")
    _ = try witness.addTask("of the witness")
    try witness.upload()
    #expect(try peer.readLine() == "+0 ")
  }

  @Test func theOthersCanWaitForUploadsAndFollowTheirProgress() throws {
    let peer = try peer()
    try peer.perform("fill 1 50")
    #expect(try peer.perform("upload") == "OK")
    try witness.download()
    #expect(try witness.taskNames.count == 50)
    try peer.perform("create 100 more")
    #expect(try peer.perform("progress") == "complete")
  }

  @Test func theOthersCanChangeSubscriptions() throws {
    let peer = try peer()
    _ = try witness.addTask("long", minutes: 20)
    _ = try witness.addTask("short", minutes: 2)
    try witness.upload()
    // Returns once the set is complete.
    try peer.perform("subscribe progressMinutes > 10")
    try device.setSubscriptions(["Task": "progressMinutes < 10"]).wait()
    #expect(try peer.perform("names") == "short")
    try device.realm.refresh()
    #expect(try device.taskNames == ["short"])
  }

  @Test func aRejectedWriteIsToldToTheAgentAndListedEverywhere() throws {
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "progressMinutes > 10"])
    let peer = try peer()
    try peer.perform("create 1 too short")
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.expect("the object goes") { try device.taskNames.isEmpty }
    #expect(try peer.perform("rejected") == "1")
    #expect(try peer.perform("names") == "")
  }

  // MARK: Taking over

  /// Starts two processes of which the first is the agent, while this one is suspended.
  private func agentAndAnother() throws -> (agent: ProcessPeer, other: ProcessPeer) {
    device.close()
    try device.open { $0.starts_suspended = true }
    let agent = try peer("first")
    try expectAgent(agent)
    return (agent, try peer("second"))
  }

  // Feature 139
  @Test func whenTheAgentIsKilledAnotherProcessTakesOver() throws {
    let (first, second) = try agentAndAnother()
    try first.perform("create 1 of the first")
    try expectOnServer(["of the first"])
    first.kill()
    try second.perform("create 2 of the second")
    try expectAgent(second)
    try expectOnServer(["of the first", "of the second"])
    _ = try witness.addTask("of the witness")
    try witness.upload()
    #expect(try second.perform("download") == "OK")
    #expect(try second.perform("names") == "of the first,of the second,of the witness")
  }

  @Test func whatTheKilledAgentHadCommittedIsUploaded() throws {
    let (first, second) = try agentAndAnother()
    server.stop()
    try first.perform("create 1 of the first")
    try second.perform("create 2 of the second")
    first.kill()
    try server.start()
    try expectOnServer(["of the first", "of the second"])
  }

  @Test func theAgentHandsOverWhenItClosesTheRealm() throws {
    let peer = try peer()
    #expect(try peer.perform("agent") == "0")
    device.close()
    try peer.perform("create 1 of the peer")
    #expect(try peer.perform("upload") == "OK")
    #expect(try peer.perform("agent") == "1")
    try device.open()
    #expect(try !isAgent())
    _ = try device.addTask("own")
    try device.upload()
    try expectOnServer(["of the peer", "own"])
  }

  @Test func aSuspendedAgentHandsOver() throws {
    let peer = try peer()
    try device.session.suspend()
    try expectAgent(peer)
    _ = try device.addTask("own")
    try expectOnServer(["own"])
    try device.session.resume()
    #expect(try !isAgent())
    try peer.perform("suspend")
    try device.expect("this process is the sync agent again", seconds: 2) { try isAgent() }
    try peer.perform("create 1 of the peer")
    try expectOnServer(["of the peer", "own"])
  }

  @Test func waitsOutliveTheAgent() throws {
    let (first, second) = try agentAndAnother()
    server.stop()
    try second.perform("create 1 of the second")
    second.begin("upload")
    pause(milliseconds: 200)
    first.kill()
    try server.start()
    #expect(try second.readLine() == "OK")
    try expectOnServer(["of the second"])
  }

  @Test func aDownloadThatASuspendedProcessAwaitsAloneIsReportedByALaterAgent() throws {
    device.close()
    try device.open { $0.starts_suspended = true }
    let outcome = try device.session.startWaiting(.FLX_DIRECTION_DOWNLOAD)
    let peer = try peer()
    try expectAgent(peer)
    try outcome.wait("the download is complete") { !$0.isEmpty }
  }

  @Test func aRequestForADownloadEndsWithItsWait() throws {
    let peer = try peer()
    try device.session.suspend()
    try expectAgent(peer)
    server.stop()
    expectFailure(.FLX_STATUS_TIMED_OUT) { try device.download(timeout: 100) }
    let path = flx_realm_path(try device.realm.handle).text
    let file = try Database.open(DatabaseConfiguration(location: .file(path), application: .realm))
    #expect(try file.integer("SELECT count(*) FROM flx_download_requests") == 0)
  }

  // MARK: Client resets

  @Test func aClientResetByTheAgentIsSeenByTheOthers() throws {
    let peer = try peer()
    // Not before, or the server would not know the peer's login any more.
    try server.backUp()
    _ = try device.addTask("later")
    try device.upload()
    #expect(try peer.perform("names") == "later")
    device.close()
    try expectAgent(peer)
    try device.open()
    let observation = try device.realm.objects("Task").observe()
    try device.realm.refresh()
    _ = observation.take()
    witness.close()
    try server.restore()
    try device.expect("the object goes") { try device.taskNames.isEmpty }
    #expect(observation.take() == [Change(deletions: [0])])
    #expect(try peer.perform("names") == "")
    _ = try device.addTask("new")
    try device.upload()
    #expect(try peer.perform("names") == "new")
  }

  @Test func aManualResetWaitsUntilNoOtherProcessHasTheFileOpen() throws {
    let errors = device.app.collectErrors()
    let path = flx_realm_path(try device.realm.handle).text
    try device.session.suspend()
    let peer = try peer()
    try peer.perform("suspend")
    device.close()
    let owner = RealmOwner.synced(appID: "tasktracker-abcde", userID: device.user.id)
    let backup = folder.file("backup")
    try RealmFile.open(DatabaseConfiguration(location: .file(path), application: .realm), owner: owner)
      .setClientReset(ClientResetRecord(stage: .manual, kind: .recover, code: 208, text: backup))
    try device.open()
    try errors.wait("the session says that the reset is due") {
      $0.contains { $0.status == .FLX_STATUS_CLIENT_RESET }
    }
    try peer.perform("create 1 kept")
    try device.expect("the file is still used") { try device.taskNames == ["kept"] }
    peer.end()
    device.close()
    try device.open()
    #expect(try device.taskNames.isEmpty)
    #expect(access(backup, F_OK) == 0)
  }
}
