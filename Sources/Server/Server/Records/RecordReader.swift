// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the records of an app, even while its server is running.
public final class RecordReader {
  private let folder: String
  private let filter: RecordFilter
  private let body: (FoundRecord) -> Void
  /// The current file, and the part of its last line that has been read.
  private var newest: Int32 = -1
  private var rest: [UInt8] = []

  /// - Parameters:
  ///   - dataFolder: The data folder of the server.
  ///   - appID: The app whose records to read.
  ///   - body: Called with each record, oldest first.
  /// - Throws: `ServerError` if there are no records of the app in the folder; `FileError` if it may not be read.
  public init(
    dataFolder: String,
    appID: String,
    filter: RecordFilter,
    body: @escaping (FoundRecord) -> Void
  ) throws {
    try DataFolder.checkExists(dataFolder)
    let isName = !appID.isEmpty && !appID.utf8.contains(UInt8(ascii: "/")) && !appID.hasPrefix(".")
    guard isName, try FileSystem.entry(at: "\(dataFolder)/\(appID)") == .folder else {
      throw ServerError("the data folder \(dataFolder) has no app \"\(appID)\"")
    }
    folder = DataFolder.recordFolder(in: dataFolder, appID: appID)
    self.filter = filter
    self.body = body
  }

  deinit { if newest >= 0 { close(newest) } }

  /// Reads all existing records.
  ///
  /// - Throws: `FileError`.
  public func readAll() throws(FileError) {
    for path in RecordFiles.paths(in: folder).dropLast() { try read(path) }
    try readNew()
  }

  /// Reads the records added since the last call.
  ///
  /// - Throws: `FileError`.
  public func readNew() throws(FileError) {
    let path = "\(folder)/\(RecordFiles.name)"
    if newest < 0 { newest = try RecordReader.open(path) }
    guard newest >= 0 else { return }
    try readToEnd(of: newest, path)
    guard !isStillNewest(path) else { return }
    // The file has been renamed since; its last records are still to be read.
    try readToEnd(of: newest, path)
    close(newest)
    rest = []
    newest = try RecordReader.open(path)
    if newest >= 0 { try readToEnd(of: newest, path) }
  }

  private func read(_ path: String) throws(FileError) {
    let descriptor = try RecordReader.open(path)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    rest = []
    try readToEnd(of: descriptor, path)
    rest = []
  }

  /// Opens a file; returns -1 if it does not exist.
  private static func open(_ path: String) throws(FileError) -> Int32 {
    let descriptor = systemOpen(path)
    guard descriptor >= 0 || errno == ENOENT else {
      throw FileError(operation: "read", path: path)
    }
    return descriptor
  }

  private func isStillNewest(_ path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    guard fstat(newest, &opened) == 0, stat(path, &named) == 0 else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  private func readToEnd(of descriptor: Int32, _ path: String) throws(FileError) {
    try FileSystem.readPieces(from: descriptor, of: path, take)
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let last = lines.removeLast()
    for line in lines {
      emit(rest + line)
      rest = []
    }
    rest += last
  }

  private func emit(_ line: [UInt8]) {
    // Skip a line that was cut off when the process ended.
    guard let json = try? JSON.parse(line), filter.matches(json) else { return }
    body(FoundRecord(line: String(decoding: line, as: UTF8.self), json: json))
  }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
