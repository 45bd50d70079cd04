// SPDX-License-Identifier: Apache-2.0

/// Client files that still need something done, without duplicates, in the order in which they were added.
struct WaitingFiles {
  private var idents: Set<UInt64> = []
  private var line = Line<UInt64>()

  var isEmpty: Bool { idents.isEmpty }

  func contains(_ ident: UInt64) -> Bool { idents.contains(ident) }

  mutating func insert(_ ident: UInt64) {
    if idents.insert(ident).inserted { line.append(ident) }
  }

  /// Removes and returns the file that has waited the longest.
  mutating func next() -> UInt64? {
    guard let ident = line.next() else { return nil }
    idents.remove(ident)
    return ident
  }
}
