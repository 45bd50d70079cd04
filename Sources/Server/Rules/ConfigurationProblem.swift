// SPDX-License-Identifier: Apache-2.0

/// Something in an app directory that the server cannot use as it stands.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file, relative to the app directory.
  public let file: String
  /// The key inside the file with dots between its parts; nil if the whole file is meant.
  public let key: String?
  public let message: String

  public var description: String {
    guard let key else { return "\(file): \(message)" }
    return "\(file): \(key): \(message)"
  }
}

/// The reasons why an app directory cannot be served. All that were found are reported at once.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public let directory: String
  public let problems: [ConfigurationProblem]

  package init(directory: String, problems: [ConfigurationProblem]) {
    self.directory = directory
    self.problems = problems
  }

  public var description: String {
    "cannot serve the app in \(directory):\n"
      + problems.map { "  \($0)" }.joined(separator: "\n")
  }
}

/// Collects what is found wrong while an app directory is read.
package final class ProblemCollector {
  package private(set) var errors: [ConfigurationProblem] = []
  package private(set) var warnings: [ConfigurationProblem] = []

  package init() {}

  package func error(_ file: String, _ key: String?, _ message: String) {
    add(ConfigurationProblem(file: file, key: key, message: message), to: &errors)
  }

  package func warning(_ file: String, _ key: String?, _ message: String) {
    add(ConfigurationProblem(file: file, key: key, message: message), to: &warnings)
  }

  /// A file that is read twice is no reason to tell its problems twice.
  private func add(_ problem: ConfigurationProblem, to list: inout [ConfigurationProblem]) {
    if !list.contains(problem) { list.append(problem) }
  }
}
