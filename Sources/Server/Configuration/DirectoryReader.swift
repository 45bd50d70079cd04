// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules
import FlexSyncServerSupport

/// Reads the files below an app directory.
struct DirectoryReader {
  let root: String
  let problems: ProblemCollector
  /// What `%(%%environment…)` in files stands for; nil while that is being found out.
  var templates: TemplateValues?

  init(root: String, problems: ProblemCollector) {
    self.root = root
    self.problems = problems
  }

  /// The parsed content of a file; nil if there is no such file. Reports one that cannot be read.
  func json(_ file: String) -> ConfigurationNode? {
    guard let content = content(of: file) else { return nil }
    do {
      let value = try JSON.parse(content)
      let node = ConfigurationNode(file: file, key: nil, value: value, problems: problems)
      return templates.map { $0.resolve(node) } ?? node
    } catch {
      problems.error(file, nil, error.description)
      return nil
    }
  }

  /// The text of a file; nil if there is no such file. Reports one that cannot be read.
  func text(_ file: String) -> String? {
    guard let content = content(of: file) else { return nil }
    guard let text = String(validating: content, as: UTF8.self) else {
      problems.error(file, nil, "is not UTF-8 text")
      return nil
    }
    return text
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private func content(of file: String) -> [UInt8]? {
    guard has(file) else { return nil }
    do {
      let content = try FileSystem.contents(of: "\(root)/\(file)")
      guard content.starts(with: DirectoryReader.byteOrderMark) else { return content }
      problems.warning(
        file,
        nil,
        "begins with a byte order mark, which other programs do not expect; save it as UTF-8 without one"
      )
      return Array(content.dropFirst(DirectoryReader.byteOrderMark.count))
    } catch {
      problems.error(file, nil, "\(error)")
      return nil
    }
  }

  func has(_ file: String) -> Bool { FileSystem.isFile("\(root)/\(file)") }

  /// The names of the folders in a folder, sorted; empty if there is no such folder.
  func directories(_ folder: String) -> [String] {
    entries(folder).filter { FileSystem.isDirectory("\(root)/\(folder)/\($0)") }
  }

  /// The names of the JSON files in a folder without `.json`, sorted; empty if there is no such folder.
  func files(_ folder: String) -> [String] {
    entries(folder).filter { $0.hasSuffix(".json") && has("\(folder)/\($0)") }.map { String($0.dropLast(5)) }
  }

  /// The names in a folder, sorted; empty if there is no such folder. Reports one that cannot be read.
  func entries(_ folder: String) -> [String] {
    let path = "\(root)/\(folder)"
    guard FileSystem.isDirectory(path) else { return [] }
    do {
      return try FileSystem.entries(of: path)
    } catch {
      problems.error(folder, nil, "\(error)")
      return []
    }
  }
}

/// Names in a configuration that become part of a path.
package enum FileName {
  /// Whether a name is that of a file or folder, and leads nowhere else.
  package static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && !name.hasPrefix(".")
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}
