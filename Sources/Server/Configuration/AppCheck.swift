// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// The result of checking an app directory.
public struct AppCheck: Sendable {
  /// The app; nil if there are errors.
  public let app: AppConfiguration?
  /// The reasons why the directory cannot be served.
  public let errors: [ConfigurationProblem]
  /// Settings that do not have the effect they appear to have.
  public let warnings: [ConfigurationProblem]
  /// Steps that settings require outside of the directory.
  public let notes: [ConfigurationProblem]
  /// The parts of the directory that this server does not support.
  public let notCarriedOver: [MissingPart]

  init(app: AppConfiguration?, problems: ProblemCollector, notCarriedOver: [MissingPart]) {
    self.app = app
    errors = problems.errors
    warnings = problems.warnings
    notes = problems.notes
    self.notCarriedOver = notCarriedOver
  }
}
