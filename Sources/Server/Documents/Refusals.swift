// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The parts of an input file that were refused. The first few are shown on the terminal. The optional file receives
/// all of them, each under a comment with the reason; after correction it can be passed to the same command again.
public final class Refusals {
  /// The number of refusals shown on the terminal.
  public static let shownCount = 20

  /// The file that receives all refusals; nil for none, also in a dry run.
  public let file: String?
  /// The number of refusals.
  public private(set) var count = 0
  /// The first refusals, with place and reason.
  public private(set) var shown: [String] = []
  private let header: String?
  private var descriptor: Int32 = -1
  private var pending: [UInt8] = []

  private static let bufferByteCount = 1 << 16

  /// - Parameters:
  ///   - file: Must not exist. It is created with the first refusal, readable only by its owner.
  ///   - header: The first line of every file of this kind, such as the column names.
  ///   - isDryRun: Whether this is a dry run, which does not create the file.
  package init(file: String?, header: String? = nil, isDryRun: Bool = false) throws(ServerError) {
    if let file, FileSystem.exists(file) {
      throw ServerError("the file \(file) already exists; remove it, or choose another file for --skip-bad")
    }
    self.file = isDryRun ? nil : file
    self.header = header
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Passes the refusals on, if there are any.
  ///
  /// - Parameter isDryRun: Whether this is a dry run, which uses nothing.
  /// - Throws: An error with the text of `problem` if none may be skipped.
  package func report(
    to onRefusals: (Refusals) -> Void,
    isDryRun: Bool,
    orThrow problem: @autoclosure () -> String
  ) throws(ServerError) {
    guard count > 0 else { return }
    onRefusals(self)
    guard file != nil || isDryRun else { throw ServerError(problem()) }
  }

  /// Records a refused part.
  ///
  /// - Parameter content: The part as it appears in the input, its lines separated by line feeds.
  package func add(place: String, reason: String, content: String) throws(FileError) {
    count += 1
    if shown.count < Refusals.shownCount { shown.append("\(place): \(reason)") }
    guard let file else { return }
    try create(file)
    let comment = reason.split(separator: "\n").joined(separator: " ")
    pending += Array("# \(place): \(comment)\n\(content)\n".utf8)
    if pending.count > Refusals.bufferByteCount { try flush(file) }
  }

  /// Writes the remaining refusals and syncs the file to disk.
  package func finish() throws(FileError) {
    guard let file, descriptor >= 0 else { return }
    try flush(file)
    guard fsync(descriptor) == 0 else { throw FileError(operation: "write", path: file) }
  }

  /// The first refusals, and the number of further ones.
  public var text: String {
    var lines = shown.map { "  \($0)" }
    if count > shown.count { lines.append("  … and \(count - shown.count) more") }
    return lines.joined(separator: "\n")
  }

  private func create(_ file: String) throws(FileError) {
    guard descriptor < 0 else { return }
    descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(operation: "create", path: file) }
    if let header { pending += Array("\(header)\n".utf8) }
  }

  private func flush(_ file: String) throws(FileError) {
    try FileSystem.writeAll(pending, to: descriptor, path: file)
    pending = []
  }
}
