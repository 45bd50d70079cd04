// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import FlexSync

/// What a program sees that prints what it has.
@Suite struct DescriptionTests {
  @Test func aRealmPrintsItsPlace() throws {
    let file = try LocalFile()
    #expect("\(try file.open())" == "Realm(file: \(try #require(file.configuration.fileURL).path))")
    let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "scratch"))
    #expect("\(realm)" == "Realm(inMemoryIdentifier: scratch)")
  }

  @Test(arguments: [
    ("127.0.0.1:9090", "http://127.0.0.1:9090"), ("localhost:9090", "http://localhost:9090"),
    ("[::1]:9090", "http://[::1]:9090"), ("sync.example.com", "https://sync.example.com"),
    ("http://sync.example.com", "http://sync.example.com"), ("", ""),
  ])
  func aServerMayBeNamedWithoutAScheme(text: String, url: String) {
    #expect(text.withServerScheme == url)
  }

  @Test func aFileOfARealmSDKIsRefusedAndKept() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("default.realm")
    // Its header: two references, and what marks the format.
    let content = Data(
      [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [9, 9, 0, 1]
        + [UInt8](repeating: 7, count: 4096)
    )
    try content.write(to: url)
    let error = #expect(throws: Realm.Error.self) { _ = try Realm(fileURL: url) }
    #expect(error?.code == .invalidDatabase)
    #expect(
      error?.message.contains("Only that SDK can upload what is not yet there") == true,
      "\(error as Any)"
    )
    #expect(try Data(contentsOf: url) == content)
  }
}
