// SPDX-License-Identifier: Apache-2.0

/// Client files for which something is still to be done, each once, in the order in which they came.
struct WaitingFiles {
  private var idents: Set<UInt64> = []
  /// The next one last.
  private var leaving: [UInt64] = []
  private var arrived: [UInt64] = []

  var isEmpty: Bool { idents.isEmpty }

  func contains(_ ident: UInt64) -> Bool { idents.contains(ident) }

  mutating func insert(_ ident: UInt64) {
    if idents.insert(ident).inserted { arrived.append(ident) }
  }

  /// Takes out the file that has waited for the longest.
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
