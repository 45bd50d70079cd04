// SPDX-License-Identifier: Apache-2.0

/// Editing several elements at once.
extension List {
  /// Appends elements in order.
  public func append<Elements: Sequence>(contentsOf elements: Elements) where Elements.Element == Element {
    append(objectsIn: elements)
  }

  /// Inserts elements in order before `index`, which may be the count.
  public func insert<Elements: Collection>(contentsOf elements: Elements, at index: Int)
  where Elements.Element == Element {
    // A copy, because the elements may belong to this list.
    for (offset, element) in Array(elements).enumerated() { insert(element, at: index + offset) }
  }

  /// The elements in a range. Any number of others can replace them.
  public subscript(bounds: Range<Int>) -> Slice<List> {
    get { Slice(base: self, bounds: bounds) }
    set { replaceSubrange(bounds, with: newValue) }
  }

  /// Removes the elements in a range.
  public func removeSubrange<Bounds: RangeExpression<Int>>(_ bounds: Bounds) {
    for index in bounds.relative(to: self).reversed() { remove(at: index) }
  }

  /// Replaces the elements in a range with any number of others.
  public func replaceSubrange<Elements: Collection, Bounds: RangeExpression<Int>>(
    _ bounds: Bounds,
    with elements: Elements
  ) where Elements.Element == Element {
    let range = bounds.relative(to: self)
    let elements = Array(elements)
    removeSubrange(range)
    insert(contentsOf: elements, at: range.lowerBound)
  }

  /// Removes the first elements.
  public func removeFirst(_ count: Int) { removeSubrange(startIndex..<startIndex + count) }

  /// Removes the last elements.
  public func removeLast(_ count: Int) { removeSubrange(endIndex - count..<endIndex) }
}

extension List: MutableCollection {}

// MARK: - Coding

extension RealmCollection where Element: Encodable {
  public func encode(to encoder: any Encoder) throws {
    // Through the container, because encoders treat some types, such as dates, in ways of their own.
    var container = encoder.singleValueContainer()
    try container.encode(Array(self))
  }
}

extension List: Encodable where Element: Encodable {}

extension List: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    append(objectsIn: try decoder.singleValueContainer().decode([Element].self))
  }
}

extension MutableSet: Encodable where Element: Encodable {}

extension MutableSet: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    insert(objectsIn: try decoder.singleValueContainer().decode([Element].self))
  }
}

extension Results: Encodable where Element: Encodable {}

extension Map: Encodable where Key == String, Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    // As a dictionary of the container, because encoders treat some types, such as dates, in ways of their own.
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(asKeyValueSequence(), uniquingKeysWith: { $1 }))
  }
}

extension Map: Decodable where Key == String, Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    for (key, value) in try decoder.singleValueContainer().decode([String: Value].self) {
      updateValue(value, forKey: key)
    }
  }
}
