// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

@Suite struct SessionTests {
  let server: SyncServer

  init() throws { server = try SyncServer() }

  // MARK: State (behaviour 110)

  // Feature 151, 155, 156
  @Test func theConnectionFollowsSuspendAndResume() throws {
    let device = try Device(server)
    let session = try device.session
    try session.waitFor(.FLX_CONNECTION_CONNECTED)
    let states = CallbackBox<flx_connection_state_t>()
    let token = try session.observeConnection(states)
    session.suspend()
    #expect(session.state == .FLX_SESSION_INACTIVE, "at once, before the loop knows")
    try states.wait("it disconnects") { $0 == [.FLX_CONNECTION_DISCONNECTED] }
    #expect(session.state == .FLX_SESSION_INACTIVE)
    session.resume()
    try states.wait("it connects") {
      $0.dropFirst() == [.FLX_CONNECTION_CONNECTING, .FLX_CONNECTION_CONNECTED]
    }
    #expect(session.state == .FLX_SESSION_ACTIVE)
    withExtendedLifetime(token) {}
  }

  // Feature 156
  @Test func aReleasedTokenHearsNothing() throws {
    let device = try Device(server)
    let states = CallbackBox<flx_connection_state_t>()
    do { _ = try device.session.observeConnection(states) }
    try device.session.waitFor(.FLX_CONNECTION_CONNECTED)
    try device.session.suspend()
    try device.session.waitFor(.FLX_CONNECTION_DISCONNECTED)
    #expect(states.events.isEmpty)
  }

  @Test func aSessionThatStartsSuspendedWaitsForResume() throws {
    let device = try Device(server)
    device.close()
    try device.open { $0.starts_suspended = true }
    #expect(try device.session.state == .FLX_SESSION_INACTIVE, "from the moment that opening returns")
    pause(milliseconds: 50)
    #expect(try device.session.connectionState == .FLX_CONNECTION_DISCONNECTED)
    #expect(try device.session.state == .FLX_SESSION_INACTIVE)
    try device.session.resume()
    try device.download()
  }

  @Test func theSessionIsSharedByTheHandlesOfAFile() throws {
    let device = try Device(server)
    let second = try TestRealm(classes: .taskTracker) { $0.user = device.user.handle }
    let session = TestSession(try #require(flx_realm_get_session(second.handle)))
    #expect(try session.handle == device.session.handle)
    device.close()
    #expect(session.state == .FLX_SESSION_ACTIVE)
    second.release()
    try session.waitFor(.FLX_CONNECTION_DISCONNECTED)
    #expect(session.state == .FLX_SESSION_CLOSED)
  }

  @Test func theSessionsOfAUserAreThoseOfOpenRealms() throws {
    let device = try Device(server)
    let other = try Device(server)
    let (session, sessions) = (try device.session, device.user.sessions)
    #expect(sessions.map(\.handle) == [session.handle])
    #expect(CUser(flx_session_get_user(session.handle)).id == device.user.id)
    #expect(other.user.sessions.count == 1)
    device.close()
    #expect(device.user.sessions.isEmpty)
    #expect(flx_user_get_session_at(device.user.handle, 0) == nil)
  }

  @Test func progressCountsBytes() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE", "Team": "TRUEPREDICATE"])
    let uploads = CallbackBox<flx_progress_t>()
    let downloads = CallbackBox<flx_progress_t>()
    let tokens = [
      try device.session.observeProgress(.FLX_DIRECTION_UPLOAD, onlyOutstanding: false, uploads),
      try device.session.observeProgress(.FLX_DIRECTION_DOWNLOAD, onlyOutstanding: false, downloads),
    ]
    _ = try device.addTask(String(repeating: "x", count: 1000))
    try device.upload()
    try uploads.wait("the upload ends") { events in
      events.contains { $0.estimate == 1 && $0.transferred_bytes > 1000 }
    }
    #expect(uploads.events.allSatisfy { $0.transferred_bytes <= $0.transferrable_bytes })
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE", "Team": "TRUEPREDICATE"])
    _ = try author.addTask(String(repeating: "y", count: 3000))
    try author.upload()
    try device.download()
    let last = try #require(downloads.events.last)
    #expect(last.estimate == 1 && last.transferred_bytes == last.transferrable_bytes)
    let first = try #require(downloads.events.first)
    #expect(last.transferred_bytes > first.transferred_bytes + 1000)
    withExtendedLifetime(tokens) {}
  }

  @Test func aLocalRealmHasNoSession() throws {
    let realm = try TestRealm(memory: "no session")
    #expect(flx_realm_get_session(realm.handle) == nil)
  }

  // MARK: Waiting

  @Test func waitingEndsAtOnceWithoutWork() throws {
    let device = try Device(server)
    try device.download()
    try device.upload()
    try device.upload()
    try device.download()
  }

  @Test func aSuspendedSessionWithNothingToUploadHasUploadedEverything() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.session.suspend()
    try device.upload()
    _ = try device.addTask("paint")
    expectFailure(.FLX_STATUS_TIMED_OUT) { try device.upload(timeout: 50) }
    let outcome = try device.session.startWaiting(.FLX_DIRECTION_UPLOAD)
    try device.session.resume()
    #expect(try outcome.get() == nil)
  }

  @Test func aWaitTimesOut() throws {
    let device = try Device(server)
    try device.session.suspend()
    let message = expectFailure(.FLX_STATUS_TIMED_OUT) { try device.download(timeout: 50) }
    #expect(message == "Waiting for download timed out after 0.05 seconds.")
    let set = try device.setSubscriptions(["Task": "TRUEPREDICATE"])
    let update = expectFailure(.FLX_STATUS_TIMED_OUT) { try set.wait(timeout: 1000) }
    #expect(update == "Waiting for update timed out after 1.0 seconds.")
    #expect(set.state == .FLX_SUBSCRIPTION_PENDING)
  }

  @Test func suspendingEndsWaits() throws {
    let device = try Device(server)
    try device.download()
    server.stop()
    _ = try device.setSubscriptions(["Task": "TRUEPREDICATE"])
    _ = try device.addTask("paint")
    let outcomes = [
      try device.session.startWaiting(.FLX_DIRECTION_UPLOAD),
      try device.session.startWaiting(.FLX_DIRECTION_DOWNLOAD),
      try device.realm.latestSet.startWaiting(),
    ]
    try device.session.suspend()
    for outcome in outcomes {
      let error = try #require(try outcome.get())
      #expect(error.status == .sessionInactive)
      #expect(error.message == "The sync session became inactive.")
    }
  }

  @Test func loggingOutEndsTheWaitsOfASuspendedSession() throws {
    let device = try Device(server)
    try device.download()
    try device.session.suspend()
    let outcome = try device.session.startWaiting(.FLX_DIRECTION_DOWNLOAD)
    try device.user.logOut()
    let error = try #require(try outcome.get())
    #expect(error.status == .sessionInactive)
  }

  @Test func waitsOutliveConnections() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    server.stop()
    try device.session.waitFor(.FLX_CONNECTION_DISCONNECTED)
    _ = try device.addTask("paint")
    let outcomes = [
      try device.session.startWaiting(.FLX_DIRECTION_UPLOAD),
      try device.session.startWaiting(.FLX_DIRECTION_DOWNLOAD),
    ]
    try server.start()
    try device.session.reconnect()
    for outcome in outcomes { #expect(try outcome.get() == nil) }
  }

  @Test func blockingOnTheLoopIsRefused() throws {
    let device = try Device(server)
    let results = CallbackBox<flx_status_t>()
    let session = try device.session
    nonisolated(unsafe) let handle = session.handle
    device.user.user.app.post {
      results.add(flx_session_wait_blocking(handle, .FLX_DIRECTION_UPLOAD, 0, nil))
    }
    try withExtendedLifetime(session) {
      try results.wait("the call returns") { $0 == [.FLX_STATUS_INVALID_ARGUMENT] }
    }
  }

  // MARK: Progress (behaviours 111 and 112)

  @Test func progressGrowsAndEndsAtOne() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.upload()
    try device.session.suspend()
    for number in 0..<5 { _ = try device.addTask(String(repeating: "x", count: 100_000) + "\(number)") }
    let once = CallbackBox<flx_progress_t>()
    let always = CallbackBox<flx_progress_t>()
    let tokens = [
      try device.session.observeProgress(.FLX_DIRECTION_UPLOAD, onlyOutstanding: true, once),
      try device.session.observeProgress(.FLX_DIRECTION_UPLOAD, onlyOutstanding: false, always),
    ]
    try device.session.resume()
    try device.upload()
    for box in [once, always] {
      try box.wait("it ends") { $0.last?.estimate == 1 }
      let estimates = box.events.map(\.estimate)
      #expect(estimates == estimates.sorted())
      #expect(estimates.first == 0)
    }
    let told = once.events.count
    _ = try device.addTask("more")
    try device.upload()
    try always.wait("later work counts, too") { $0.count { $0.estimate == 1 } == 2 }
    #expect(once.events.count == told)
    withExtendedLifetime(tokens) {}
  }

  // Feature 152
  @Test func downloadsHaveProgress() throws {
    let author = try Device(server)
    try author.subscribe(["Task": "TRUEPREDICATE"])
    _ = try author.addTask("paint")
    try author.upload()
    let reader = try Device(server)
    let estimates = CallbackBox<flx_progress_t>()
    let token = try reader.session.observeProgress(.FLX_DIRECTION_DOWNLOAD, onlyOutstanding: true, estimates)
    try reader.subscribe(["Task": "TRUEPREDICATE"])
    try estimates.wait("it ends") { $0.last?.estimate == 1 }
    withExtendedLifetime(token) {}
  }

  // MARK: Subscription states

  // Feature 78, 79
  @Test func theStatesOfASetAreObserved() throws {
    let device = try Device(server)
    try device.download()
    try device.session.suspend()
    let set = try device.setSubscriptions(["Task": "TRUEPREDICATE"])
    let states = CallbackBox<flx_subscription_state_t>()
    let token = try set.observe(states)
    try device.session.resume()
    try set.wait()
    #expect(states.events.last == .FLX_SUBSCRIPTION_COMPLETE, "observers know before a wait ends")
    #expect(states.events.first == .FLX_SUBSCRIPTION_PENDING)
    #expect(states.events.contains(.FLX_SUBSCRIPTION_AWAITING_MARK))
    try device.subscribe(["Task": "completed == true"])
    try states.wait("it is superseded") { $0.last == .FLX_SUBSCRIPTION_SUPERSEDED }
    withExtendedLifetime(token) {}
  }

  // Feature 79
  @Test func aSupersededSetSaysSo() throws {
    let device = try Device(server)
    try device.download()
    try device.session.suspend()
    let first = try device.setSubscriptions(["Task": "completed == true"])
    let second = try device.setSubscriptions(["Task": "TRUEPREDICATE"])
    try device.session.resume()
    try second.wait()
    // The server may have answered the first set before the second.
    let outcome = first.startWaiting()
    #expect(try outcome.get()?.status == .subscriptionSuperseded)
    try first.refresh()
    #expect(first.state == .FLX_SUBSCRIPTION_SUPERSEDED)
  }

  // MARK: Loops

  @Test func aPolledLoopSyncsWhileItIsPumped() throws {
    let folder = TemporaryFolder()
    let app = try CApp(
      url: server.url,
      folder: folder.path,
      id: "tasktracker-abcde",
      loopMode: .FLX_LOOP_POLL
    )
    try app.register("ada@example.com", "secret123")
    let user = try app.logIn("ada@example.com", "secret123")
    let realm = try TestRealm(classes: .taskTracker) { $0.user = user.handle }
    let set = try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }
    try set.wait()
    #expect(set.state == .FLX_SUBSCRIPTION_COMPLETE)
    realm.release()
  }
}
