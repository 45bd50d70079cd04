// SPDX-License-Identifier: Apache-2.0

/// Iterates over results. See `Results.makeIterator`.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
  /// Iterates over objects, or what stands for them; nil for plain values.
  @usableFromInline let rows: ResultsLoop?
  @usableFromInline var values: IndexingIterator<[Element]>

  init(_ rows: ResultsLoop) {
    self.rows = rows
    values = [].makeIterator()
  }

  init(_ values: [Element]) {
    rows = nil
    self.values = values.makeIterator()
  }

  // Inlinable, so that the program's module makes its objects without a call through tables for each.
  @inlinable
  public mutating func next() -> Element? {
    // The iterator keeps the loop, so going on counts no reference to it.
    guard let rows = rows.map(Unmanaged.passUnretained) else { return values.next() }
    guard let row = rows._withUnsafeGuaranteedRef({ $0.next() }) else { return nil }
    return Element._fromRow(row)
  }
}
