// SPDX-License-Identifier: Apache-2.0

/// Looks for a part in a text, by the method of Knuth, Morris and Pratt: in a time that grows with the length of both and
/// not with their product, whatever they are.
struct TextSearch<Element: Equatable> {
  private let part: [Element]
  /// By how many elements have been found: how many of them may be the beginning of the next occurrence.
  private let borders: [Int]

  /// - Parameter part: not empty.
  init(_ part: [Element]) {
    self.part = part
    var borders = [0, 0]
    var border = 0
    for index in part.indices.dropFirst() {
      while border > 0, part[index] != part[border] { border = borders[border] }
      if part[index] == part[border] { border += 1 }
      borders.append(border)
    }
    self.borders = borders
  }

  /// The offset of the first occurrence in a range of a text.
  func first<Text: RandomAccessCollection<Element>>(in text: Text, _ range: Range<Int>) -> Int?
  where Text.Index == Int {
    var found = 0
    for index in range {
      while found > 0, text[index] != part[found] { found = borders[found] }
      if text[index] == part[found] { found += 1 }
      if found == part.count { return index + 1 - found }
    }
    return nil
  }
}
