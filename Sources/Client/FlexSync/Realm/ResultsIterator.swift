// SPDX-License-Identifier: Apache-2.0

/// Iterates over results. See `Results.makeIterator`.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
  /// Iterates over objects, or what stands for them.
  private struct Rows {
    let loop: ResultsLoop
    let handle: _RealmHandle
    let binding: _ClassBinding
  }

  /// Nil for plain values.
  private let rows: Rows?
  private var values: IndexingIterator<[Element]>

  init(_ box: ResultsBox, _ handle: _RealmHandle, _ binding: _ClassBinding) {
    rows = Rows(loop: ResultsLoop(box, on: handle), handle: handle, binding: binding)
    values = [].makeIterator()
  }

  init(_ values: [Element]) {
    rows = nil
    self.values = values.makeIterator()
  }

  public mutating func next() -> Element? {
    guard let rows else { return values.next() }
    return rows.loop.next(rows.handle, rows.binding).map(Element._fromRow)
  }
}
