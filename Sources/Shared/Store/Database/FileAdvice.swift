// SPDX-License-Identifier: Apache-2.0

/// Tells users in error messages what to do with a file of one kind. The user of an app can delete a device's file, and
/// download the data again; the operator of a server must keep what is left of the only copy.
///
/// Each text is a sentence without its full stop.
public struct FileAdvice: Sendable {
  /// The file is damaged.
  public let damaged: String
  /// The file does not contain a database.
  public let notADatabase: String
  /// A newer version of FlexSync has written the file.
  public let newerFormat: String
  /// Where the declaration is that another one contradicts, such as "the file".
  public let declarer: String
  /// A declaration contradicts the file.
  public let conflict: String

  /// Creates the advice for a kind of file.
  public init(damaged: String, notADatabase: String, newerFormat: String, declarer: String, conflict: String)
  {
    self.damaged = damaged
    self.notADatabase = notADatabase
    self.newerFormat = newerFormat
    self.declarer = declarer
    self.conflict = conflict
  }

  /// The advice for a file of a device.
  public static let device = FileAdvice(
    damaged: "Delete it, or restore it from a backup",
    notADatabase: "Choose another file name, or delete the file",
    newerFormat:
      "Update this program, or use a copy of the file that was made before the newer version opened it",
    declarer: "the file",
    conflict: "Use a new name, or delete the file"
  )
}
