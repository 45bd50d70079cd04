// SPDX-License-Identifier: Apache-2.0

/// A line in which a worker reports results to its supervisor.
enum WorkerLine {
  /// Human-readable text.
  case text(String)
  /// A seed is done.
  case done(seed: UInt64, failure: String?)
  /// A sum over all seeds of the worker.
  case count(String, Int)

  var text: String {
    switch self {
    case .text(let text): "text\t\(text.oneLine)"
    case .done(let seed, nil): "passed\t\(seed)"
    case .done(let seed, let failure?): "failed\t\(seed)\t\(failure.oneLine)"
    case .count(let name, let number): "count\t\(name)\t\(number)"
    }
  }

  init?(_ line: Substring) {
    let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("text", 2...): self = .text(parts.dropFirst().joined(separator: "\t"))
    case ("passed", 2): self = .done(seed: UInt64(parts[1]) ?? 0, failure: nil)
    case ("failed", 3): self = .done(seed: UInt64(parts[1]) ?? 0, failure: parts[2])
    case ("count", 3): self = .count(parts[1], Int(parts[2]) ?? 0)
    default: return nil
    }
  }
}

extension String {
  fileprivate var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
