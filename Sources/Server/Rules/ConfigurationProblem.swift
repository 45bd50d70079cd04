// SPDX-License-Identifier: Apache-2.0

/// A problem in an app directory that keeps the server from using a part of it as is.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file, relative to the app directory.
  public let file: String
  /// The key in the file, its parts separated by dots; nil for a problem with the entire file.
  public let key: String?
  public let message: String

  public var description: String {
    guard let key else { return "\(file): \(message)" }
    return "\(file): \(key): \(message)"
  }
}

/// The reasons why an app directory cannot be served. All problems found are reported together.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public let directory: String
  public let problems: [ConfigurationProblem]

  package init(directory: String, problems: [ConfigurationProblem]) {
    self.directory = directory
    self.problems = problems
  }

  public var description: String {
    "the app directory \(directory) cannot be used:\n"
      + problems.map { "  \($0)" }.joined(separator: "\n")
  }
}

/// Collects the problems found while an app directory is read.
package final class ProblemCollector {
  package private(set) var errors: [ConfigurationProblem] = []
  package private(set) var warnings: [ConfigurationProblem] = []

  /// Steps that settings require outside of the directory, in which nothing is wrong.
  package private(set) var notes: [ConfigurationProblem] = []

  package init() {}

  package func error(_ file: String, key: String? = nil, _ message: String) {
    add(ConfigurationProblem(file: file, key: key, message: message), to: &errors)
  }

  package func warning(_ file: String, key: String? = nil, _ message: String) {
    add(ConfigurationProblem(file: file, key: key, message: message), to: &warnings)
  }

  package func note(_ file: String, key: String? = nil, _ message: String) {
    add(ConfigurationProblem(file: file, key: key, message: message), to: &notes)
  }

  /// Adds a problem. A file may be read twice, but its problems are listed once.
  private func add(_ problem: ConfigurationProblem, to list: inout [ConfigurationProblem]) {
    if !list.contains(problem) { list.append(problem) }
  }
}
