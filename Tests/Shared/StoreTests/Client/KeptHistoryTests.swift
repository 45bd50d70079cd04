// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// What an integration keeps of the history for the next one.
@Suite struct KeptHistoryTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func doesNotChangeTheResult(seed: UInt64) throws {
    let folders = (TemporaryFolder(), TemporaryFolder())
    let kept = try folders.0.openTaskRealm()
    var reopened = try folders.1.openTaskRealm()
    let setup: [Instruction] = [.createObject(task(1)), .createObject(task(2))]
    for realm in [kept, reopened] { try realm.database.write { try realm.objects.apply(setup) } }
    var random = SeededGenerator(seed: seed)
    var incoming = Inserts()
    var serverVersion: UInt64 = 0
    for _ in 0..<40 {
      if Bool.random(using: &random) {
        let key = Int64.random(in: 1...2, using: &random)
        let size = UInt32(try kept.objects.list(task(key), "tags").count)
        let change = Instruction.arrayInsert(
          task(key).at("tags", UInt32.random(in: 0...size, using: &random)),
          .value(.string("local")),
          priorSize: size
        )
        for realm in [kept, reopened] { try realm.writeLocally([change]) }
      } else {
        let entries = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          serverVersion += 1
          return entry(serverVersion, base: 1, [incoming.next(using: &random)])
        }
        reopened = try folders.1.openRealm()
        for realm in [kept, reopened] {
          try realm.integrate(entries, progress: progress(server: serverVersion, base: 1))
        }
      }
      for key in 1...2 as ClosedRange<Int64> {
        #expect(try kept.objects.list(task(key), "tags") == reopened.objects.list(task(key), "tags"))
      }
    }
    #expect(try kept.reciprocals() == reopened.reciprocals())
  }

  /// Insertions by a peer that knows of no others.
  private struct Inserts {
    private var sizes: [Int64: UInt32] = [:]

    mutating func next(using random: inout SeededGenerator) -> Instruction {
      let key = Int64.random(in: 1...2, using: &random)
      let size = sizes[key, default: 0]
      sizes[key] = size + 1
      let path = task(key).at("tags", UInt32.random(in: 0...size, using: &random))
      return .arrayInsert(path, .value(.string("remote")), priorSize: size)
    }
  }
}

extension RealmFile {
  fileprivate func reciprocals() throws -> [[UInt8]] {
    try database.withStatement("SELECT ifnull(reciprocal, changeset) FROM flx_history ORDER BY version") {
      var found: [[UInt8]] = []
      while try $0.step() { found.append($0.blob(0)) }
      return found
    }
  }
}
