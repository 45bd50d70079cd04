// SPDX-License-Identifier: Apache-2.0

/// Iterates over results. See `Results.makeIterator`.
public struct ResultsIterator<Element: ObjectBase>: IteratorProtocol {
  private let loop: ResultsLoop
  private let handle: _RealmHandle
  private let binding: _ClassBinding

  init(_ loop: ResultsLoop, _ handle: _RealmHandle, _ binding: _ClassBinding) {
    self.loop = loop
    self.handle = handle
    self.binding = binding
  }

  public mutating func next() -> Element? {
    guard let managed = loop.next(handle, binding) else { return nil }
    return handle.wrap(Element.self, managed)
  }
}
