// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The links among the constants of a predicate. Compiled queries assume that their targets exist, so a link without
/// a target must be replaced with null.
struct LinkConstants {
  private let links: Set<Link>

  init(_ predicate: Predicate) {
    var links: Set<Link> = []
    predicate.forEachConstant { if case .link(let link) = $0 { links.insert(link) } }
    self.links = links
  }

  /// Returns the links whose target does not currently exist.
  func dangling(in store: ObjectStore) throws -> Set<Link> {
    try links.filter { link in
      if link.leadsNowhere { return false }
      guard let table = try store.table(named: link.className) else { return true }
      return try store.row(of: link.key, in: table) == nil
    }
  }
}

extension Predicate {
  /// Returns the predicate with the given links replaced by null.
  func replacing(_ dangling: Set<Link>) -> Predicate {
    guard !dangling.isEmpty else { return self }
    return replacingConstants { value in
      if case .link(let link) = value, dangling.contains(link) { .null } else { value }
    }
  }
}

extension ObjectStore {
  /// Returns the predicate with the currently dangling links replaced by null.
  func resolved(_ predicate: Predicate) throws -> Predicate {
    predicate.replacing(try LinkConstants(predicate).dangling(in: self))
  }
}
