// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One line of the result: the cost of FlexSync next to the cost of the same work without it.
struct Figure {
  enum Unit {
    /// Seconds per item, shown in µs.
    case microseconds(per: String)
    /// Seconds, shown in ms.
    case milliseconds
    /// Seconds per item, shown as items per second.
    case rate(of: String)
    case bytes(per: String)
    /// Bytes, shown in MiB.
    case mebibytes
  }

  let quantity: String
  let unit: Unit
  let flexSync: Samples
  let comparison: String
  let raw: Samples
  /// The statistic of the samples that counts as the cost.
  var statistic: (Samples) -> Double = \.median

  var flexSyncCost: Double { statistic(flexSync) }
  var rawCost: Double { statistic(raw) }
  /// The cost of FlexSync as a multiple of the cost of the comparison.
  var ratio: Double { flexSyncCost / rawCost }

  func text(_ cost: Double) -> String {
    switch unit {
    case .microseconds(let item): format("%.2f µs/\(item)", cost * 1e6)
    case .milliseconds: format("%.3f ms", cost * 1e3)
    case .rate(let items): format("%.0f \(items)/s", 1 / cost)
    case .bytes(let item): format("%.0f bytes/\(item)", cost)
    case .mebibytes: format("%.1f MiB", cost / 1_048_576)
    }
  }

  var json: [String: Any] {
    [
      "quantity": quantity, "comparison": comparison, "unit": unitName, "ratio": ratio,
      "flexsync": flexSyncCost, "raw": rawCost,
      "flexsync_samples": flexSync.values, "raw_samples": raw.values,
    ]
  }

  private var unitName: String {
    switch unit {
    case .microseconds(let item): "seconds per \(item)"
    case .milliseconds: "seconds"
    case .rate(let items): "seconds per one of \(items)"
    case .bytes(let item): "bytes per \(item)"
    case .mebibytes: "bytes"
    }
  }
}

func format(_ template: String, _ value: Double) -> String { String(format: template, value) }
