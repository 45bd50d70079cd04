// SPDX-License-Identifier: Apache-2.0

import FlexSyncVectors

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Exits the tool because it could not run the rows at all.
func fail(_ message: String) -> Never {
  var line = message + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(2)
}

let kinds = VectorKind.allCases.map(\.rawValue).joined(separator: ", ")
guard CommandLine.arguments.count == 3, let kind = VectorKind(rawValue: CommandLine.arguments[1]) else {
  fail("usage: flexsync-vectors KIND FILE\nKIND is one of: \(kinds)")
}
do {
  let report = try kind.run(path: CommandLine.arguments[2])
  for (reading, count) in report.readings.sorted(by: { $0.key < $1.key }) {
    print("\(count) rows: \(reading)")
  }
  for failure in report.failures { print("\(failure.id): \(failure.difference)") }
  print(report.summary)
  exit(report.failures.isEmpty ? 0 : 1)
} catch {
  fail("flexsync-vectors: \(error)")
}
