// SPDX-License-Identifier: Apache-2.0

/// Iterates over results. See `Results.makeIterator`.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
  enum Source {
    case rows(ResultsLoop, _RealmHandle, _ClassBinding)
    case values(IndexingIterator<[Element]>)
  }

  private var source: Source

  init(_ source: Source) { self.source = source }

  public mutating func next() -> Element? {
    switch source {
    case .rows(let loop, let handle, let binding): return loop.next(handle, binding).map(Element._fromRow)
    case .values(var iterator):
      let element = iterator.next()
      source = .values(iterator)
      return element
    }
  }
}
