// SPDX-License-Identifier: Apache-2.0

/// The treatment of links whose target does not exist.
public enum DanglingLinks: Hashable, Sendable {
  /// As null, as queries read links (protocol §4.8).
  case asNull
  /// As the stored link, so that whether an object meets the condition does not depend on other objects. The server
  /// evaluates objects this way, just as MongoDB reads the foreign key in a document.
  case asStored
}
