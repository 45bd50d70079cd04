// SPDX-License-Identifier: Apache-2.0

/// One sort key.
public struct SortDescriptor: Hashable, Sendable {
  public var keyPath: String
  public var ascending: Bool

  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }
}
