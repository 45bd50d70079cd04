// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The links among the constants of a predicate. Compiled queries take for granted that their targets exist; a link
/// without target counts as null.
struct LinkConstants {
  private let links: Set<Link>

  init(_ predicate: Predicate) {
    var links: Set<Link> = []
    predicate.forEachConstant { if case .link(let link) = $0 { links.insert(link) } }
    self.links = links
  }

  /// Those whose target does not exist now.
  func dangling(in store: ObjectStore) throws -> Set<Link> {
    try links.filter { link in
      guard let table = try store.table(named: link.className) else { return true }
      return try store.row(of: link.key, in: table) == nil
    }
  }
}

extension Predicate {
  /// The predicate with null in the place of some links.
  func replacing(_ dangling: Set<Link>) -> Predicate {
    guard !dangling.isEmpty else { return self }
    return replacingConstants { value in
      if case .link(let link) = value, dangling.contains(link) { .null } else { value }
    }
  }
}

extension ObjectStore {
  /// The predicate with null in the place of links that lead nowhere now.
  func resolved(_ predicate: Predicate) throws -> Predicate {
    predicate.replacing(try LinkConstants(predicate).dangling(in: self))
  }
}
