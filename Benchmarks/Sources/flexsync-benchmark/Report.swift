// SPDX-License-Identifier: Apache-2.0

import Foundation
import RawSQLite

/// The figures as a table and as JSON.
struct Report {
  var figures: [Figure] = []
  let isQuick: Bool
  let loadBefore = Report.loadAverage()
  let started = Date()

  init(isQuick: Bool) { self.isQuick = isQuick }

  /// A Markdown table that is also readable as plain text, followed by notes on interpreting it.
  var table: String {
    var rows = [["quantity", "FlexSync", "comparison", "comparison figure", "ratio"]]
    for figure in figures {
      rows.append([
        figure.quantity, figure.text(figure.flexSyncCost), figure.comparison, figure.text(figure.rawCost),
        format("%.2f", figure.ratio),
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines = rows.map { row in
      "| "
        + zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(
          separator: " | "
        )
        + " |"
    }
    lines.insert(
      "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|",
      at: 1
    )
    return (lines + ["", remarks]).joined(separator: "\n")
  }

  private var remarks: String {
    """
    Ratio: how many times the cost of the comparison (1 is equal, 2 is twice as slow or as large). Figures are medians \
    of repetitions after a warm-up, except where a percentile is named.
    \(processorCount) processors, load average \(format("%.1f", loadBefore)) before the run and \
    \(format("%.1f", Report.loadAverage())) after it, SQLite \(String(cString: raw_version())), \
    \(format("%.0f", -started.timeIntervalSinceNow)) s\(isQuick ? ", quick" : "").
    Such machines are shared and noisy: absolute figures vary by a factor from run to run. Both sides of a ratio were \
    measured in turn in this run; only ratios may be compared with those of other runs.
    """
  }

  func writeJSON(to path: String) throws {
    let object: [String: Any] = [
      "quick": isQuick, "processors": processorCount, "sqlite": String(cString: raw_version()),
      "load_before": loadBefore, "load_after": Report.loadAverage(),
      "started": ISO8601DateFormatter().string(from: started), "figures": figures.map(\.json),
    ]
    let data = try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    try data.write(to: URL(fileURLWithPath: path))
  }

  private var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  private static func loadAverage() -> Double {
    var load = 0.0
    return getloadavg(&load, 1) == 1 ? load : .nan
  }
}
