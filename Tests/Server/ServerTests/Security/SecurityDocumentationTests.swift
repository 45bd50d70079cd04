// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncServerSupport

@Suite("Docs/Security.md")
struct SecurityDocumentationTests {
  @Test("Each test that the document names exists")
  func tests() throws {
    let text = String(
      decoding: try FileSystem.contents(of: "\(PackageFolder.root)/Docs/Security.md"),
      as: UTF8.self
    )
    let names = Set(text.matches(of: /`(\w+Tests)\/(\w+)`/).map { "\($0.1)/\($0.2)" })
    #expect(names.count > 20)
    let suites = try suites(in: "\(PackageFolder.root)/Tests")
    for name in names.sorted() {
      let parts = name.split(separator: "/").map(String.init)
      let source = try #require(suites[parts[0]], "there is no suite \(parts[0])")
      #expect(source.contains(" func \(parts[1])("), "\(parts[0]) has no test \(parts[1])")
    }
  }

  /// The sources of the files that are named after suites, by their names.
  private func suites(in folder: String) throws -> [String: String] {
    var suites: [String: String] = [:]
    for name in try FileSystem.entries(of: folder) {
      let path = "\(folder)/\(name)"
      if FileSystem.isDirectory(path) {
        suites.merge(try self.suites(in: path)) { "\($0)\n\($1)" }
      } else if name.hasSuffix("Tests.swift") {
        suites[String(name.dropLast(".swift".count))] = String(
          decoding: try FileSystem.contents(of: path),
          as: UTF8.self
        )
      }
    }
    return suites
  }
}
