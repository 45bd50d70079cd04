// SPDX-License-Identifier: Apache-2.0

/// Something in an app directory that this server does not do, and what that means for the app.
public struct MissingPart: Hashable, Sendable, CustomStringConvertible {
  /// The file or folder, relative to the app directory.
  public let file: String
  /// What it is, with the names of what is in it.
  public let content: String
  /// What the app has to do without.
  public let consequence: String
  /// What can be done about it.
  public let advice: String

  public var description: String {
    "\(file): \(content) not carried over. \(consequence). \(advice)."
  }
}
