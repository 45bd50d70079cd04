// SPDX-License-Identifier: Apache-2.0

/// Iterates over results. See `Results.makeIterator`.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
  /// The loop over objects; nil for plain values.
  private let loop: ResultsLoop?
  private var values: IndexingIterator<[Element]>

  init(_ loop: ResultsLoop) {
    self.loop = loop
    values = [].makeIterator()
  }

  init(_ values: [Element]) {
    loop = nil
    self.values = values.makeIterator()
  }

  public mutating func next() -> Element? {
    guard let loop else { return values.next() }
    return loop.next().map(Element._fromRow)
  }
}
