// SPDX-License-Identifier: Apache-2.0

/// What a link counts as whose target does not exist.
public enum DanglingLinks: Hashable, Sendable {
  /// Null, as queries read links (protocol §4.8).
  case asNull
  /// The link that is stored: whether an object meets the condition does not depend on other objects. So the server
  /// judges objects, and so MongoDB reads the foreign key in a document.
  case asStored
}
