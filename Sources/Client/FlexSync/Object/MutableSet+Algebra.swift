// SPDX-License-Identifier: Apache-2.0

/// Set algebra with other sequences of elements.
extension MutableSet {
  /// Whether the other collection has every element of the set.
  public func isSubset<Elements: Sequence>(of other: Elements) -> Bool where Elements.Element == Element {
    let other = Self.unmanaged(other)
    return allSatisfy { other.contains($0) }
  }

  /// Whether the set has every element of the other collection.
  public func isSuperset<Elements: Sequence>(of other: Elements) -> Bool where Elements.Element == Element {
    other.allSatisfy { contains($0) }
  }

  /// Whether the set and the other collection have an element in common.
  public func intersects<Elements: Sequence>(_ other: Elements) -> Bool where Elements.Element == Element {
    other.contains { contains($0) }
  }

  /// Whether the set and the other collection have no element in common.
  public func isDisjoint<Elements: Sequence>(with other: Elements) -> Bool where Elements.Element == Element {
    !intersects(other)
  }

  /// Adds the elements of the other collection.
  public func formUnion<Elements: Sequence>(_ other: Elements) where Elements.Element == Element {
    insert(objectsIn: Array(other))
  }

  /// Removes the elements that are not in the other collection.
  public func formIntersection<Elements: Sequence>(_ other: Elements) where Elements.Element == Element {
    let other = Self.unmanaged(other)
    for element in Array(self) where !other.contains(element) { remove(element) }
  }

  /// Removes the elements of the other collection.
  public func subtract<Elements: Sequence>(_ other: Elements) where Elements.Element == Element {
    for element in Array(other) { remove(element) }
  }

  /// Keeps the elements that are in only one of the two.
  public func formSymmetricDifference<Elements: Sequence>(_ other: Elements)
  where Elements.Element == Element {
    for element in Self.unmanaged(other) {
      if contains(element) { remove(element) } else { insert(element) }
    }
  }

  /// Returns an unmanaged set with the elements of both.
  public func union<Elements: Sequence>(_ other: Elements) -> MutableSet where Elements.Element == Element {
    let result = Self.unmanaged(self)
    result.formUnion(other)
    return result
  }

  /// Returns an unmanaged set with the elements that are in both.
  public func intersection<Elements: Sequence>(_ other: Elements) -> MutableSet
  where Elements.Element == Element {
    let result = Self.unmanaged(self)
    result.formIntersection(other)
    return result
  }

  /// Returns an unmanaged set with the elements that are not in the other collection.
  public func subtracting<Elements: Sequence>(_ other: Elements) -> MutableSet
  where Elements.Element == Element {
    let result = Self.unmanaged(self)
    result.subtract(other)
    return result
  }

  private static func unmanaged<Elements: Sequence>(_ elements: Elements) -> MutableSet
  where Elements.Element == Element {
    let set = MutableSet()
    set.insert(objectsIn: elements)
    return set
  }
}
