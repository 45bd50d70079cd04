// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import FlexSyncOpenCombine
import FlexSyncSwiftUI
import Foundation
import OpenCombine
import SwiftUIStubs
import Testing

/// `@ObservedResults` and `@ObservedSectionedResults`, over stubs of SwiftUI.
@Suite(.serialized) @MainActor struct ObservedResultsTests {
  let home: Home

  init() throws { home = try Home() }

  @Test func resultsAreFrozenFilteredAndSorted() throws {
    let descriptor = FlexSync.SortDescriptor(keyPath: "minutes", ascending: false)
    let all = ObservedResults(Chore.self, configuration: home.configuration, sortDescriptor: descriptor)
    #expect(all.wrappedValue.map(\.name) == ["cook", "wash up", "dust"] && all.wrappedValue.isFrozen)
    let filtered = ObservedResults(Chore.self, configuration: home.configuration, filter: "room == 'kitchen'")
    #expect(filtered.wrappedValue.map(\.name) == ["cook", "wash up"])
    let long = ObservedResults(Chore.self, configuration: home.configuration, where: { $0.minutes > 30 })
    #expect(long.wrappedValue.map(\.name) == ["cook"])
    let lines = ObservedResults(ChoreLine.self, configuration: home.configuration)
    #expect(lines.wrappedValue.map(\.text) == ["dust", "cook", "wash up"])
  }

  @Test func filterConditionAndOrderCanBeReplaced() throws {
    let chores = ObservedResults(Chore.self, configuration: home.configuration)
    #expect(chores.wrappedValue.count == 3)
    chores.projectedValue.filter = "room == 'kitchen'"
    #expect(chores.wrappedValue.map(\.name) == ["cook", "wash up"])
    chores.projectedValue.where = { $0.room == "hall" }
    #expect(chores.wrappedValue.map(\.name) == ["dust"])
    chores.projectedValue.where = nil
    chores.projectedValue.sortDescriptor = FlexSync.SortDescriptor(keyPath: "name")
    #expect(chores.wrappedValue.map(\.name) == ["cook", "dust", "wash up"])
  }

  @Test func editsAreWriteTransactions() throws {
    let chores = ObservedResults(Chore.self, configuration: home.configuration)
    chores.projectedValue.append(Chore(4, "sweep"))
    #expect(chores.wrappedValue.map(\.name) == ["dust", "cook", "wash up", "sweep"])
    chores.projectedValue.remove(atOffsets: [0, 3])
    #expect(chores.wrappedValue.map(\.name) == ["cook", "wash up"])
    chores.projectedValue.remove(try #require(chores.wrappedValue.first))
    #expect(home.realm.objects(Chore.self).map(\.name) == ["wash up"])
    try home.realm.write { chores.projectedValue.append(Chore(5, "iron")) }
    #expect(chores.wrappedValue.map(\.name) == ["wash up", "iron"])
    let lines = ObservedResults(ChoreLine.self, configuration: home.configuration)
    lines.projectedValue.append(ChoreLine(projecting: Chore(6, "mop")))
    #expect(lines.wrappedValue.map(\.text) == ["wash up", "iron", "mop"])
  }

  @Test func theConfigurationComesFromTheEnvironment() throws {
    EnvironmentValues.current.realmConfiguration = home.configuration
    defer { EnvironmentValues.current = EnvironmentValues() }
    #expect(EnvironmentValues.current.realm == home.realm)
    let chores = ObservedResults(Chore.self)
    chores.update()
    #expect(chores.wrappedValue.count == 3)
  }

  @Test func aSearchFieldFilters() throws {
    struct Screen: View {}
    let chores = ObservedResults(Chore.self, configuration: home.configuration)
    var text = "s"
    func search() {
      let binding = Binding(get: { [text] in text }, set: { _ in })
      _ = Screen().searchable(text: binding, collection: chores.projectedValue, keyPath: \.name)
      _ = Screen().searchable(
        text: binding,
        collection: chores.projectedValue,
        keyPath: \.name,
        prompt: "Find"
      )
    }
    search()
    #expect(chores.wrappedValue.map(\.name) == ["dust", "wash up"])
    chores.projectedValue.filter = "room == 'kitchen'"
    #expect(chores.wrappedValue.map(\.name) == ["wash up"])
    text = ""
    search()
    #expect(chores.wrappedValue.map(\.name) == ["cook", "wash up"])
  }

  @Test func aSearchFieldFiltersByAPropertyThatIsNamedLikeAWordOfQueries() throws {
    struct Screen: View {}
    let chores = ObservedResults(Chore.self, configuration: home.configuration)
    let text = Binding(get: { "hal" }, set: { _ in })
    _ = Screen().searchable(text: text, collection: chores.projectedValue, keyPath: \.room)
    #expect(chores.wrappedValue.map(\.name) == ["dust"])
  }

  @Test func resultsAreSectionedByAPropertyOrABlock() throws {
    let rooms = ObservedSectionedResults(
      Chore.self,
      sectionKeyPath: \.room,
      configuration: home.configuration
    )
    #expect(rooms.wrappedValue.map(\.key) == ["hall", "kitchen"] && rooms.wrappedValue.isFrozen)
    let lengths = ObservedSectionedResults(
      Chore.self,
      sectionBlock: { $0.minutes >= 20 },
      sortDescriptors: [FlexSync.SortDescriptor(keyPath: "minutes")],
      where: { $0.room == "kitchen" },
      configuration: home.configuration
    )
    #expect(lengths.wrappedValue.map { $0.map(\.name) } == [["wash up", "cook"]])
    lengths.projectedValue.where = nil
    #expect(lengths.wrappedValue.map { $0.map(\.name) } == [["dust"], ["wash up", "cook"]])
    rooms.projectedValue.remove(atOffsets: [1], section: rooms.wrappedValue[1])
    #expect(rooms.wrappedValue.map { $0.map(\.name) } == [["dust"], ["cook"]])
  }
}
