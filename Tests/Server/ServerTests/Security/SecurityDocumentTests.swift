// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Foundation
import Testing

@Suite("Docs/Security.md")
struct SecurityDocumentTests {
  /// The texts of all tests.
  private func sources() throws -> [String] {
    let folder = "\(PackageFolder.root)/Tests"
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix("Tests.swift") }.map {
      try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
    }
  }

  @Test("The tests that it names as proofs are there")
  func tests() throws {
    let page = try String(contentsOfFile: "\(PackageFolder.root)/Docs/Security.md", encoding: .utf8)
    let sources = try sources()
    let proofs = page.matches(of: /`(\w+Tests)\/(\w+)`/)
    #expect(proofs.count > 60)
    for proof in proofs {
      let (suite, test) = (proof.1, proof.2)
      let isThere = sources.contains { text in
        ["struct", "class", "extension"].contains { text.contains("\($0) \(suite) ") }
          && text.contains("func \(test)(")
      }
      #expect(isThere, "\(suite)/\(test)")
    }
  }
}
