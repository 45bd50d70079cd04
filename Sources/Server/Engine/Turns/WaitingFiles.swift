// SPDX-License-Identifier: Apache-2.0

/// Client files that still need something done, without duplicates, in the order in which they were added.
struct WaitingFiles {
  private var idents: Set<UInt64> = []
  /// Files in reverse order: the next one is last.
  private var leaving: [UInt64] = []
  private var arrived: [UInt64] = []

  var isEmpty: Bool { idents.isEmpty }

  func contains(_ ident: UInt64) -> Bool { idents.contains(ident) }

  mutating func insert(_ ident: UInt64) {
    if idents.insert(ident).inserted { arrived.append(ident) }
  }

  /// Removes and returns the file that has waited the longest.
  mutating func next() -> UInt64? {
    if leaving.isEmpty {
      leaving = arrived.reversed()
      arrived = []
    }
    guard let ident = leaving.popLast() else { return nil }
    idents.remove(ident)
    return ident
  }
}
