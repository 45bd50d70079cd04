// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncJSON
import FlexSyncServerSupport

/// Input that commands read from a file or standard input, so that secrets do not appear as arguments visible to
/// others.
enum InputFile {
  static func json(of file: String) throws -> JSON {
    do {
      return try JSON.parse(try content(of: file))
    } catch let error as JSONError {
      throw ServerError("\(file): \(error)")
    }
  }

  /// - Throws: `ServerError` for bytes that nobody could type into an app, such as the mark with which some editors begin a
  ///   file, or a text in another encoding than UTF-8.
  static func firstLine(of file: String) throws -> String {
    let line = try content(of: file).prefix { $0 != 0x0a && $0 != 0x0d }
    let text = String(decoding: line, as: UTF8.self)
    guard text.utf8.elementsEqual(line), !line.contains(0), !text.unicodeScalars.starts(with: ["\u{feff}"])
    else {
      throw ServerError("\(file): the first line must be UTF-8 text without a byte order mark or null bytes")
    }
    return text
  }

  private static func content(of file: String) throws -> [UInt8] {
    try FileContent.read(file == "-" ? "/dev/stdin" : file)
  }
}

/// A password that must be given.
struct RequiredPassword: ParsableArguments {
  @Option(
    help: ArgumentHelp("A file whose first line is the password; - for standard input.", valueName: "file")
  )
  var passwordFile: String

  func read() throws -> String { try InputFile.firstLine(of: passwordFile) }
}
