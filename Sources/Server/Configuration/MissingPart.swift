// SPDX-License-Identifier: Apache-2.0

/// A part of an app directory that this server does not support, and the consequences for the app.
public struct MissingPart: Hashable, Sendable, CustomStringConvertible {
  /// The file or folder, relative to the app directory.
  public let file: String
  /// A description of the part, naming its contents.
  public let content: String
  /// The consequence for the app.
  public let consequence: String
  /// The recommended remedy.
  public let advice: String

  public var description: String {
    "\(file): \(content) not carried over. \(consequence). \(advice)."
  }
}
