// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import FlexSyncVectors
import Testing

/// The messages that were recorded from the reference implementation.
@Suite("Message vectors")
struct MessageVectorTests {
  @Test("every row of the file passes", arguments: [VectorKind.messages, .badMessages])
  func everyRowPasses(kind: VectorKind) throws {
    let report = try kind.run(path: PackageFolder.vectors + "/\(kind.rawValue).jsonl")
    #expect(report.passedCount > 0)
    #expect(report.failures.isEmpty, "\(report.summary): \(report.failures.prefix(5))")
  }

  @Test("only few rows have a spelling that we do not write ourselves")
  func onlyFewSpellingsDiffer() throws {
    let report = try VectorKind.messages.run(path: PackageFolder.vectors + "/messages.jsonl")
    let differing = report.readings.filter { $0.key.hasPrefix("a spelling") }
    #expect(differing.values.reduce(0, +) == 5)
  }
}
