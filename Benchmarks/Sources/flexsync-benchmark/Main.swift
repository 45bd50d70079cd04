// SPDX-License-Identifier: Apache-2.0

import Foundation

@main
struct Main {
  /// The groups of benchmarks in the order of the table.
  private static var groups: [(name: String, run: (Options, URL) throws -> [Figure])] {
    [
      ("insert", insertBenchmarks),
      ("read", readBenchmarks),
      ("query", queryBenchmarks),
      ("erase", eraseBenchmarks),
      ("bootstrap", bootstrapBenchmarks),
      ("latency", latencyBenchmarks),
      ("upload", uploadBenchmarks),
      ("merge", mergeBenchmarks),
      ("clients", loadBenchmarks),
      ("fairness", fairnessBenchmarks),
      ("cutover", cutoverBenchmarks),
      ("memory", memoryBenchmarks),
      ("matcher", matcherBenchmarks),
    ]
  }

  static func main() {
    do {
      let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
      try run(options)
    } catch {
      print("flexsync-benchmark: \(error)", to: .standardError)
      exit(1)
    }
  }

  private static func run(_ options: Options) throws {
    var report = Report(isQuick: options.isQuick)
    for group in groups where options.only.map(group.name.contains) ?? true {
      print("running: \(group.name)", to: .standardError)
      let folder = URL(fileURLWithPath: options.data).appending(path: group.name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      report.figures += try group.run(options, folder)
    }
    print(report.table)
    if let path = options.json { try report.writeJSON(to: path) }
  }

  private static func print(_ text: String, to file: FileHandle) { file.write(Data((text + "\n").utf8)) }
  private static func print(_ text: String) { print(text, to: .standardOutput) }
}
