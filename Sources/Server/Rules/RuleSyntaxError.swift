// SPDX-License-Identifier: Apache-2.0

/// The reason why an expression or a role cannot be used.
package struct RuleSyntaxError: Error {
  package enum Kind {
    /// App Services would have rejected it too.
    case malformed
    /// The expression is valid in App Services but not for sync: the role denies access.
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
