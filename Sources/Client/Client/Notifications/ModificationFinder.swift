// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// Finds the objects of a class that commits have modified in the sense of an observer: in a value at the end of one of
/// its key paths, or in a link on the way there. Without key paths, in any property of their own or of objects that they
/// link to, up to four links away.
final class ModificationFinder {
  /// The number of links that are followed without key paths.
  private static let depth = 4

  let paths: [ObservedPath]
  private let info: ClassInfo
  // An observer keeps what it observes, and with it the realm.
  private unowned let realm: Realm
  /// One for each property whose links a path follows backwards.
  private let memories: [LinkMemory]
  private var knownLinks: (revision: Int, links: [ObservedPath.Link])?

  /// - Throws: `CoreError` NO_SUCH_PROPERTY, NO_SUCH_CLASS.
  init(_ realm: Realm, _ info: ClassInfo, _ keyPaths: [String]) throws {
    self.realm = realm
    self.info = info
    let paths = try keyPaths.map { try ObservedPath($0, of: info, realm.schema) }
    self.paths = paths
    var memories: [LinkMemory] = []
    for case .origins(let link) in paths.flatMap(\.steps)
    where !memories.contains(where: { $0.link.column === link.column }) {
      memories.append(try LinkMemory(link, realm.store))
    }
    self.memories = memories
  }

  /// Returns the modified objects. To be called for each delivery.
  func modified(by touched: TouchedRows) throws -> ModifiedRows {
    guard !paths.isEmpty else { return try deeplyModified(by: touched) }
    let found = try rowsByPath(touched)
    guard !touched.isUnknown else { return .all }
    return .found(found.reduce(into: []) { $0.formUnion($1) })
  }

  /// Returns the indexes of the paths on which an object was modified. To be called for each delivery.
  func modifiedPaths(of row: Int64, by touched: TouchedRows) throws -> [Int] {
    let found = try rowsByPath(touched)
    return paths.indices.filter { touched.isUnknown || found[$0].contains(row) }
  }

  // MARK: Key paths

  private func rowsByPath(_ touched: TouchedRows) throws -> [Set<Int64>] {
    let relinked = try memories.map { try $0.follow(touched, realm.store) }
    guard !touched.isEmpty, !touched.isUnknown else { return paths.map { _ in [] } }
    return try paths.map { path in
      // From the end of the path: the objects at each step that were modified there or further on.
      var rows: Set<Int64> = []
      for step in path.steps.reversed() { rows = try modified(at: step, touched, further: rows, relinked) }
      return rows
    }
  }

  /// - Parameters:
  ///   - further: the objects at the destination of the step that were modified on the rest of the path.
  ///   - relinked: for each memory, the objects whose links it has seen change.
  private func modified(
    at step: ObservedPath.Step,
    _ touched: TouchedRows,
    further: Set<Int64>,
    _ relinked: [Set<Int64>]
  ) throws -> Set<Int64> {
    switch step {
    case .value(let owner, let column):
      return written(column, of: owner, touched)
    case .targets(let link):
      return written(link.column, of: link.origin, touched).union(try link.origins(of: further, realm.store))
    case .origins(let link):
      guard let index = memories.firstIndex(where: { $0.link.column === link.column }) else { return [] }
      return relinked[index].union(memories[index].targets(of: further))
    }
  }

  private func written(_ column: Column, of owner: ClassInfo, _ touched: TouchedRows) -> Set<Int64> {
    guard let rows = touched[owner.name] else { return [] }
    return Set(rows.changes.keys.filter { rows.columns(of: $0)?.contains(column.index) ?? false })
  }

  // MARK: Links without key paths

  private func deeplyModified(by touched: TouchedRows) throws -> ModifiedRows {
    let links = reachableLinks()
    guard !touched.isUnknown, links.contains(where: { touched[$0.target.name] != nil }) else {
      return ModifiedRows(touched[info.name])
    }
    var found: [String: Set<Int64>] = [:]
    for (name, rows) in touched.classes { found[name] = Set(rows.changes.keys) }
    var frontier = found
    for _ in 0..<Self.depth where !frontier.isEmpty {
      var next: [String: Set<Int64>] = [:]
      for link in links {
        guard let targets = frontier[link.target.name] else { continue }
        let new = try link.origins(of: targets, realm.store).subtracting(found[link.origin.name] ?? [])
        if new.isEmpty { continue }
        next[link.origin.name, default: []].formUnion(new)
        found[link.origin.name, default: []].formUnion(new)
      }
      frontier = next
    }
    return .found(found[info.name] ?? [])
  }

  /// The links that may lead from an object of the class to one that is not too far away.
  private func reachableLinks() -> [ObservedPath.Link] {
    let revision = realm.schema.classes.reduce(0) { $0 + $1.revision }
    if let knownLinks, knownLinks.revision == revision { return knownLinks.links }
    var links: [ObservedPath.Link] = []
    var classes = [info]
    var known: Set<String> = [info.name]
    for _ in 0..<Self.depth {
      let next = classes.flatMap(linksFrom)
      links += next
      classes = next.map(\.target).filter { known.insert($0.name).inserted }
    }
    knownLinks = (revision, links)
    return links
  }

  private func linksFrom(_ origin: ClassInfo) -> [ObservedPath.Link] {
    origin.declared.schema.properties.compactMap { property in
      guard let target = property.linkTarget.flatMap({ realm.schema[$0] }),
        let column = origin.table.column(named: property.name)
      else { return nil }
      return ObservedPath.Link(origin: origin, column: column, target: target)
    }
  }
}
