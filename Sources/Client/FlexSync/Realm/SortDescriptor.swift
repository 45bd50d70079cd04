// SPDX-License-Identifier: Apache-2.0

/// One sort key.
public struct SortDescriptor: Hashable, Sendable {
  public var keyPath: String
  public var ascending: Bool

  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }

  /// Creates a sort key for a property, or for one of an object that a link leads to.
  public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
    self.init(keyPath: DiscoveredClass.of(Element.self).path(of: keyPath), ascending: ascending)
  }

  /// Returns the sort key for the opposite order.
  public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }
}

extension SortDescriptor: CustomStringConvertible {
  public var description: String {
    "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
  }
}

extension SortDescriptor: ExpressibleByStringLiteral {
  /// Creates a sort key in ascending order.
  public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }
}
