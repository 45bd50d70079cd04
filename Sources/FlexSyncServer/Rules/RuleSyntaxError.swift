// SPDX-License-Identifier: Apache-2.0

/// Why an expression, or a role, cannot be used.
struct RuleSyntaxError: Error {
  enum Kind {
    /// App Services would not have taken it either.
    case malformed
    /// It has a meaning in App Services, but none for sync: the role denies access.
    case notSyncCompatible
  }

  let kind: Kind
  let file: String
  let key: String?
  let message: String

  private init(_ kind: Kind, _ node: ConfigurationNode, _ message: String) {
    self.kind = kind
    file = node.file
    key = node.key
    self.message = message
  }

  static func malformed(_ node: ConfigurationNode, _ message: String) -> RuleSyntaxError {
    RuleSyntaxError(.malformed, node, message)
  }

  static func notSyncCompatible(_ node: ConfigurationNode, _ message: String) -> RuleSyntaxError {
    RuleSyntaxError(.notSyncCompatible, node, message)
  }
}
