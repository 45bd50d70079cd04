// SPDX-License-Identifier: Apache-2.0

/// Searches a text for a part by the method of Knuth, Morris and Pratt. In every case, the time grows with the sum of
/// both lengths, not with their product.
struct TextSearch<Element: Equatable> {
  private let part: [Element]
  /// For each number of matched elements: how many of them may be the beginning of the next occurrence.
  private let borders: [Int]

  /// - Parameter part: The elements to search for. Must not be empty.
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

  /// Returns the offset of the first occurrence in a range of a text.
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
