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

/// What becomes of a user's files while a realm in them is open.
@Suite struct UserFilesTests {
  let folder = TemporaryFolder()
  let server: AccountServer
  let app: CApp

  init() throws {
    server = try AccountServer()
    app = try CApp(url: server.url, folder: folder.path)
  }

  private func open(_ user: CUser) throws -> TestRealm {
    try TestRealm { config in
      config.user = user.handle
      config.starts_suspended = true
    }
  }

  private func exists(_ user: CUser) -> Bool { access(user.user.folder, F_OK) == 0 }

  @Test func aUserWhoseRealmIsOpenIsNotRemoved() throws {
    try app.register("ada", "secret")
    let user = try app.logIn("ada", "secret")
    let realm = try open(user)
    let error = try #require(throws: CoreError.self) { try user.remove() }
    #expect(error.status == .alreadyOpen)
    #expect(user.state == .FLX_USER_LOGGED_IN)
    #expect(exists(user))
    try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }
    try realm.write { try realm.create("Task", .int(1)) }
    realm.release()
    try user.remove()
    #expect(user.state == .FLX_USER_REMOVED)
    #expect(!exists(user))
  }

  @Test func theFilesOfAnAnonymousUserGoWhenTheyAreClosed() throws {
    let user = try app.logInAnonymously()
    let realm = try open(user)
    try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }
    try user.logOut()
    #expect(user.state == .FLX_USER_REMOVED)
    try realm.write { try realm.create("Task", .int(1)) }
    #expect(try realm.objects("Task").count == 1)
    #expect(exists(user))
    realm.release()
    #expect(!exists(user))
  }

  @Test func theFilesOfAnAnonymousUserStayIfTheServerEndsTheLogin() throws {
    let user = try app.logInAnonymously()
    let realm = try open(user)
    try realm.updateSubscriptions { try $0.add(realm.objects("Task")) }
    try realm.write { try realm.create("Task", .int(1)) }
    let path = flx_realm_path(realm.handle).text
    realm.release()
    server.state.withLock { $0.refreshStatus = 401 }
    #expect(throws: CoreError.self) { try user.refreshCustomData() }
    #expect(user.state == .FLX_USER_LOGGED_OUT)
    // The program did not end the login, so nothing that it says to that user later may delete the files but `remove`.
    try user.logOut()
    #expect(exists(user))
    let reader = try TestRealm(path: path) { $0.read_only = true }
    #expect(try reader.objects("Task").count == 1)
    #expect(!flx_realm_is_synced(reader.handle))
    expectFailure(.FLX_STATUS_UNSUPPORTED) { try reader.beginWrite() }
    reader.release()
    // Only for reading, because others may write it for its user.
    expectFailure(.FLX_STATUS_INCOMPATIBLE_FILE) { _ = try TestRealm(path: path) }
    // A copy for writing is made through it.
    let copy = "\(folder.path)/copy.realm"
    let another = try TestRealm(path: path) { $0.read_only = true }
    try copy.withC { path in
      var destination = flx_realm_config_t()
      destination.struct_size = MemoryLayout<flx_realm_config_t>.size
      destination.path = path
      try attempt { flx_realm_write_copy(another.handle, &destination, $0) }
    }
    another.release()
    let local = try TestRealm(path: copy)
    try local.write { try local.create("Task", .int(2)) }
    #expect(try local.objects("Task").count == 2)
    try user.remove()
    #expect(!exists(user))
  }
}
