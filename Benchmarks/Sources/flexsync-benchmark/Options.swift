// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The command-line options. `Scripts/benchmark` fills in the paths.
struct Options {
  static let usage = """
    usage: flexsync-benchmark --server FLEXSYNCD --app DIR --data DIR [--quick] [--only TEXT] [--json FILE]
      --server FLEXSYNCD  the server's executable
      --app DIR           the app directory that it serves: Examples/TaskTracker
      --data DIR          an empty folder for files, on the disk that is to be measured
      --quick             fewer objects and repetitions
      --only TEXT         only the groups whose name contains TEXT: insert, read, query, bootstrap, latency, upload,
                          clients, fairness, cutover, memory, matcher
      --json FILE         also write the figures, with each sample, to FILE
    """

  var server = ""
  var app = ""
  var data = ""
  var isQuick = false
  var only: String?
  var json: String?

  init(arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--quick": isQuick = true
      case "--server": server = try Options.value(of: option, &rest)
      case "--app": app = try Options.value(of: option, &rest)
      case "--data": data = try Options.value(of: option, &rest)
      case "--only": only = try Options.value(of: option, &rest)
      case "--json": json = try Options.value(of: option, &rest)
      default: throw BenchmarkError("'\(option)' is not an option.\n\(Options.usage)")
      }
    }
    guard !server.isEmpty, !app.isEmpty, !data.isEmpty else {
      throw BenchmarkError("--server, --app and --data are needed.\n\(Options.usage)")
    }
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else {
      throw BenchmarkError("\(option) needs a value.\n\(Options.usage)")
    }
    return value
  }

  /// The number of repetitions that count, not including the one for warm-up.
  var repetitions: Int { isQuick ? 3 : 7 }
}

/// The reason a benchmark cannot run or a figure would be wrong.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
