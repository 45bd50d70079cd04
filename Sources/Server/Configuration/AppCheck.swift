// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// What is to be said about an app directory.
public struct AppCheck: Sendable {
  /// The app; nil if there are errors.
  public let app: AppConfiguration?
  /// Why the directory cannot be served.
  public let errors: [ConfigurationProblem]
  /// What does not do what it seems to say.
  public let warnings: [ConfigurationProblem]
  /// What the directory has and this server does not.
  public let notCarriedOver: [MissingPart]

  init(app: AppConfiguration?, problems: ProblemCollector, notCarriedOver: [MissingPart]) {
    self.app = app
    errors = problems.errors
    warnings = problems.warnings
    self.notCarriedOver = notCarriedOver
  }
}
