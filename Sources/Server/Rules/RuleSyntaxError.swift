// SPDX-License-Identifier: Apache-2.0

/// Why an expression, or a role, cannot be used.
package struct RuleSyntaxError: Error {
  package enum Kind {
    /// App Services would not have taken it either.
    case malformed
    /// It has a meaning in App Services, but none for sync: the role denies access.
    case notSyncCompatible
  }

  package let kind: Kind
  package let file: String
  package let key: String?
  package let message: String

  private init(_ kind: Kind, _ node: ConfigurationNode, _ message: String) {
    self.kind = kind
    file = node.file
    key = node.key
    self.message = message
  }

  package static func malformed(_ node: ConfigurationNode, _ message: String) -> RuleSyntaxError {
    RuleSyntaxError(.malformed, node, message)
  }

  package static func notSyncCompatible(_ node: ConfigurationNode, _ message: String) -> RuleSyntaxError {
    RuleSyntaxError(.notSyncCompatible, node, message)
  }
}
