// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Classes of the file that a realm was opened without.
@Suite struct AdoptingClassesTests {
  let folder = TemporaryFolder()

  init() throws {
    let realm = try TestRealm(path: path)
    try realm.write {
      let ann = try realm.create("Person", .string("Ann"))
      try realm.create("Task", .int(1), ["progress": .int(5), "owner": ann.link])
    }
    realm.release()
  }

  private var path: String { get throws { folder.file("test.realm") } }

  /// Opens the file without any of its classes.
  private func open() throws -> TestRealm { try TestRealm(path: path, classes: []) }

  private func adopt(_ name: String, in realm: TestRealm) throws -> flx_class_info_t {
    var info = flx_class_info_t()
    try attempt { error in name.withC { flx_realm_adopt_class(realm.handle, $0, &info, error) } }
    return info
  }

  @Test func aClassOfTheFileIsAdoptedWithThoseItLinksTo() throws {
    let realm = try open()
    #expect(flx_realm_class_count(realm.handle) == 0)
    let info = try adopt("Task", in: realm)
    #expect(info.name.text == "Task" && info.property_count == [TestClass].tasks[0].properties.count)
    #expect(flx_realm_class_count(realm.handle) == 2)
    let task = try realm.objects("Task").object(at: 0)
    #expect(try task.get("progress") == .int(5))
    #expect(try realm.linked(task.get("owner"), "Person")?.get("_id") == .string("Ann"))
    #expect(try adopt("Task", in: realm).key == info.key)
  }

  @Test func aClassThatTheFileDoesNotHaveIsNotAdopted() throws {
    let realm = try open()
    expectFailure(.FLX_STATUS_NO_SUCH_CLASS) { _ = try adopt("Nothing", in: realm) }
    #expect(flx_realm_class_count(realm.handle) == 0)
  }
}
