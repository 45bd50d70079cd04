// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import Foundation
import Synchronization

class Plant: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var height: Int
  @Persisted var pot: Pot?
  @Persisted var neighbours: List<Plant>
  @Persisted var tags: MutableSet<String>
  @Persisted var sizes: Map<String, Int>
  @Persisted(originProperty: "neighbours") var neighbourOf: LinkingObjects<Plant>

  convenience init(_ id: Int, _ name: String = "") {
    self.init()
    _id = id
    self.name = name
  }
}

class Pot: EmbeddedObject {
  @Persisted var width: Int
}

class PlantLabel: Projection<Plant> {
  @Projected(\Plant.name) var text
}

/// A realm file with a fern, which has a pot, of the test's own.
struct Garden {
  private let folder: TemporaryFolder
  let realm: Realm
  let fern: Plant

  init() throws {
    folder = try TemporaryFolder()
    realm = try Realm(fileURL: folder.file("garden.realm"))
    fern = Plant(1, "fern")
    fern.pot = Pot()
    let (realm, fern) = (realm, fern)
    try realm.write { realm.add(fern) }
  }

  func grow() throws { try realm.write { fern.height += 1 } }
}

/// What subscribers on any thread have received, as texts.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  func note<Collection>(_ change: RealmCollectionChange<Collection>) {
    switch change {
    case .initial: add("initial")
    case .update(_, let deletions, let insertions, let modifications):
      add("-\(deletions) +\(insertions) ~\(modifications)")
    case .error(let error): add("\(error)")
    }
  }

  func note(_ change: RealmMapChange<Map<String, Int>>) {
    switch change {
    case .initial: add("initial")
    case .update(_, let deletions, let insertions, let modifications):
      add("-\(deletions) +\(insertions) ~\(modifications)")
    case .error(let error): add("\(error)")
    }
  }

  func note<Sections>(_ change: SectionedResultsChange<Sections>) {
    switch change {
    case .initial: add("initial")
    case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
      let (inserted, deleted) = (Array(inserted), Array(deleted))
      add("-\(deletions.count) +\(insertions.count) ~\(modifications.count) \(inserted) \(deleted)")
    }
  }

  func note<Observed>(_ change: ObjectChange<Observed>) {
    switch change {
    case .change(_, let properties): add(properties.map(\.name).joined(separator: " "))
    case .deleted: add("deleted")
    case .error(let error): add("\(error)")
    }
  }
}
