// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import FlexSyncVectors
import Testing

/// The behaviour that was recorded from the reference implementation.
@Suite("Vectors")
struct VectorTests {
  @Test(
    "every row of the file passes",
    arguments: [VectorKind.changesets, .badChangesets, .oddChangesets, .merge, .convergence]
  )
  func everyRowPasses(kind: VectorKind) throws {
    let report = try kind.run(path: Self.folder + "/\(kind.rawValue).jsonl")
    #expect(report.passedCount > 0)
    #expect(report.failures.isEmpty, "\(report.summary): \(report.failures.prefix(5))")
  }

  private static let folder = PackageFolder.vectors
}
