// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules
import FlexSyncServerSupport

/// Reads the files of an app directory.
struct DirectoryReader {
  let root: String
  let problems: ProblemCollector
  /// The replacements for `%(%%environment…)` in files; nil while they are still being read.
  var templates: TemplateValues?

  /// Returns the parsed content of a file; nil if the file does not exist. Reports a file that cannot be read.
  func json(_ file: String) -> ConfigurationNode? {
    guard let content = content(of: file) else { return nil }
    do {
      let value = try JSON.parse(content)
      let node = ConfigurationNode(file: file, key: nil, value: value, problems: problems)
      return templates.map { $0.resolve(node) } ?? node
    } catch {
      problems.error(file, error.description)
      return nil
    }
  }

  /// Returns the text of a file; nil if the file does not exist. Reports a file that cannot be read.
  func text(_ file: String) -> String? {
    guard let content = content(of: file) else { return nil }
    guard let text = String(validating: content, as: UTF8.self) else {
      problems.error(file, "is not UTF-8 text")
      return nil
    }
    return text
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private func content(of file: String) -> [UInt8]? {
    guard has(file) else {
      // What should be there must not count as missing: without rules, others apply.
      if FileSystem.isOccupied("\(root)/\(file)") {
        problems.error(file, "is not a file that can be read: a folder, or a link that leads nowhere")
      }
      return nil
    }
    do {
      let content = try FileSystem.contents(of: "\(root)/\(file)")
      guard content.starts(with: DirectoryReader.byteOrderMark) else { return content }
      problems.warning(
        file,
        "begins with a byte order mark, which other programs do not expect; save it as UTF-8 without one"
      )
      return Array(content.dropFirst(DirectoryReader.byteOrderMark.count))
    } catch {
      problems.error(file, "\(error)")
      return nil
    }
  }

  func has(_ file: String) -> Bool { FileSystem.isFile("\(root)/\(file)") }

  /// Returns the names of the subfolders of a folder, sorted; empty if the folder does not exist.
  func directories(_ folder: String) -> [String] {
    entries(folder).filter { FileSystem.isDirectory("\(root)/\(folder)/\($0)") }
  }

  /// Returns the names of the JSON files in a folder without `.json`, sorted; empty if the folder does not exist.
  func files(_ folder: String) -> [String] {
    entries(folder).filter { $0.hasSuffix(".json") && has("\(folder)/\($0)") }.map { String($0.dropLast(5)) }
  }

  /// Returns the names in a folder, sorted; empty if the folder does not exist. Reports a folder that cannot be read.
  func entries(_ folder: String) -> [String] {
    let path = "\(root)/\(folder)"
    guard FileSystem.isDirectory(path) else { return [] }
    do {
      return try FileSystem.entries(of: path)
    } catch {
      problems.error(folder, "\(error)")
      return []
    }
  }
}

/// Names in a configuration that become path components.
package enum FileName {
  /// Whether a name is a plain file or folder name, so that it cannot lead out of its folder.
  package static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && !name.hasPrefix(".")
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}
