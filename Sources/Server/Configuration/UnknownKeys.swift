// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// Near-identical spelling of words.
enum Spelling {
  /// Whether two names differ only in case or in at most two letters, of which a name of four letters or fewer may have one:
  /// "date" is another name than "name".
  static func isNear(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.lowercased().utf8), Array(right.lowercased().utf8))
    let limit = min(left.count, right.count) > 4 ? 2 : 1
    guard abs(left.count - right.count) <= limit else { return false }
    // The edit distance, computed one row of the table at a time.
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[right.count] <= limit
  }
}

extension ConfigurationNode {
  /// Reports the keys of an object that are not known and have no effect.
  ///
  /// - Parameter isDangerous: whether a misspelled key would give users more than was meant, and is therefore an error.
  func reportUnknownKeys(known: [String], isDangerous: Bool = false) {
    for (name, member) in members() where !known.contains(name) {
      guard let meant = known.first(where: { Spelling.isNear(name, $0) }) else {
        member.warning("unknown key; it is ignored. Remove it")
        continue
      }
      let advice = "If you mean \"\(meant)\", rename it"
      if isDangerous {
        member.error("unknown key. \(advice)")
      } else {
        member.warning("unknown key; it is ignored. \(advice)")
      }
    }
  }
}
