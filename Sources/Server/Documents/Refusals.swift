// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The parts of an input file that cannot be taken. A few are told on the terminal; a file, if there is one, gets all of
/// them, each under a comment with the reason, and can be given to the same command again after it has been corrected.
public final class Refusals {
  /// How many are told on the terminal.
  public static let shownCount = 20

  /// The file that gets all of them; nil for none.
  public let file: String?
  /// How many there are.
  public private(set) var count = 0
  /// The first ones, with place and reason.
  public private(set) var shown: [String] = []
  private let header: String?
  private var descriptor: Int32 = -1
  private var pending: [UInt8] = []

  private static let bufferByteCount = 1 << 16

  /// - Parameters:
  ///   - file: must not exist. It is made when there is something to be written, readable for its owner only.
  ///   - header: the first line of every file of the kind, such as the names of columns.
  package init(file: String?, header: String? = nil) throws(ServerError) {
    if let file, FileSystem.exists(file) {
      throw ServerError("there is a file \(file) already; give another name to --skip-bad, or remove it")
    }
    self.file = file
    self.header = header
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether what is refused may be left out.
  package var areSkipped: Bool { file != nil }

  /// Notes something that cannot be taken.
  ///
  /// - Parameter content: what it is in the input, with a line feed between its lines.
  package func add(place: String, reason: String, content: String) throws(FileError) {
    count += 1
    if shown.count < Refusals.shownCount { shown.append("\(place): \(reason)") }
    guard let file else { return }
    try create(file)
    let comment = reason.split(separator: "\n").joined(separator: " ")
    pending += Array("# \(place): \(comment)\n\(content)\n".utf8)
    if pending.count > Refusals.bufferByteCount { try flush(file) }
  }

  /// Makes what was written last.
  package func finish() throws(FileError) {
    guard let file, descriptor >= 0 else { return }
    try flush(file)
    guard fsync(descriptor) == 0 else { throw FileError(operation: "write", path: file, code: errno) }
  }

  /// The first ones, and how many more there are.
  public var text: String {
    var lines = shown.map { "  \($0)" }
    if count > shown.count { lines.append("  … and \(count - shown.count) more") }
    return lines.joined(separator: "\n")
  }

  private func create(_ file: String) throws(FileError) {
    guard descriptor < 0 else { return }
    descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(operation: "create", path: file, code: errno) }
    if let header { pending += Array("\(header)\n".utf8) }
  }

  private func flush(_ file: String) throws(FileError) {
    try FileSystem.writeAll(pending, to: descriptor, path: file)
    pending = []
  }
}
