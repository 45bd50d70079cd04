// SPDX-License-Identifier: Apache-2.0

import FlexSync
import FlexSyncAppTestSupport
import FlexSyncOpenCombine
import FlexSyncSwiftUI
import OpenCombine
import SwiftUIStubs
import Testing

/// `@StateRealmObject`, `@ObservedRealmObject` and their bindings, over stubs of SwiftUI.
@Suite @MainActor struct RealmObjectWrapperTests {
  let home: Home

  init() throws { home = try Home() }

  private final class Counter: Sendable {
    @MainActor var count = 0
  }

  @Test func aStateObjectIsFrozenAndItsBindingWrites() throws {
    let state = StateRealmObject(wrappedValue: try home.chore(1))
    #expect(state.wrappedValue.isFrozen && state.wrappedValue.name == "dust")
    state.projectedValue.name.wrappedValue = "vacuum"
    #expect(try home.chore(1).name == "vacuum" && state.wrappedValue.name == "vacuum")
    state.wrappedValue = try home.chore(2)
    #expect(state.wrappedValue.name == "cook")
    state.projectedValue.delete()
    #expect(home.realm.objects(Chore.self).count == 2)
    #expect(state.wrappedValue.realm == nil && state.wrappedValue.name == "")
  }

  @Test func anObservedObjectGivesBindingsOfItsProperties() throws {
    let observed = ObservedRealmObject(wrappedValue: try home.chore(1))
    #expect(observed.wrappedValue.isFrozen)
    let name = observed.projectedValue.name
    name.wrappedValue = "vacuum"
    #expect(try home.chore(1).name == "vacuum" && name.wrappedValue == "vacuum")
    let steps = observed.projectedValue.steps
    steps.append("first")
    steps.append("second")
    steps.move(fromOffsets: [1], toOffset: 0)
    #expect(steps.wrappedValue.isFrozen && Array(steps.wrappedValue) == ["second", "first"])
    steps.remove(at: 0)
    steps.remove(atOffsets: [0])
    #expect(try home.chore(1).steps.isEmpty)
    observed.projectedValue.delete()
    #expect(name.wrappedValue == "vacuum" && observed.wrappedValue.realm == nil)
    name.wrappedValue = "ignored"
  }

  @Test func anEqualValueIsNotWritten() throws {
    let chore = try home.chore(1)
    let token = chore.observe { (_: ObjectChange<Chore>) in Issue.record("the object was written") }
    chore.bind(\.minutes).wrappedValue = 10
    ChoreLine(projecting: chore).bind(\.text).wrappedValue = "dust"
    token.invalidate()
    chore.freeze().bind(\.minutes).wrappedValue = 11
    #expect(chore.minutes == 11)
  }

  @Test func collectionsAreEdited() throws {
    let chore = try home.chore(1)
    let next = StateRealmObject(wrappedValue: chore.next)
    next.projectedValue.append(try home.chore(2).freeze())
    next.projectedValue.append(Chore(9, "new"))
    #expect(next.wrappedValue.map(\.name) == ["cook", "new"] && home.realm.objects(Chore.self).count == 4)
    let helpers = StateRealmObject(wrappedValue: chore.helpers)
    helpers.projectedValue.insert("Ada")
    #expect(helpers.wrappedValue.contains("Ada"))
    helpers.projectedValue.remove("Ada")
    #expect(helpers.wrappedValue.isEmpty)
    let tools = StateRealmObject(wrappedValue: chore.tools)
    tools.projectedValue.set(object: 2, for: "cloth")
    #expect(tools.projectedValue["cloth"] == 2)
    tools.projectedValue.set(object: nil, for: "cloth")
    #expect(tools.wrappedValue.count == 0)
  }

  @Test func whatIsInNoRealmIsEditedInMemory() throws {
    let state = StateRealmObject(wrappedValue: Chore(7, "iron"))
    state.projectedValue.name.wrappedValue = "fold"
    #expect(state.wrappedValue.name == "fold" && state.wrappedValue.realm == nil)
    let counter = Counter()
    let observed = ObservedRealmObject(wrappedValue: Chore(8))
    let subscription = observed._publisher.sink { _ in
    } receiveValue: { _ in
      counter.count += 1
    }
    observed.projectedValue.minutes.wrappedValue = 5
    #expect(observed.wrappedValue.minutes == 5 && counter.count == 1)
    let steps = StateRealmObject(wrappedValue: Chore(9).steps)
    steps.projectedValue.append("first")
    #expect(steps.wrappedValue.count == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func anObjectIsFollowedOnceItIsInARealm() throws {
    let chore = Chore(7, "iron")
    let state = StateRealmObject(wrappedValue: chore)
    let counter = Counter()
    let subscription = state._publisher.sink { _ in
    } receiveValue: { _ in
      counter.count += 1
    }
    try home.realm.write { home.realm.add(chore) }
    #expect(state.wrappedValue.isFrozen && counter.count == 0)
    try home.realm.write { chore.minutes = 30 }
    #expect(state.wrappedValue.minutes == 30 && counter.count == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func viewsAreUpdatedAfterChanges() throws {
    let chore = try home.chore(1)
    let state = StateRealmObject(wrappedValue: chore)
    let counter = Counter()
    let subscription = state._publisher.sink { _ in
    } receiveValue: { _ in
      counter.count += 1
    }
    try home.realm.write { chore.minutes += 1 }
    #expect(counter.count == 1)
    try home.realm.write { try home.chore(2).minutes += 1 }
    #expect(counter.count == 1)
    state.wrappedValue = try home.chore(2)
    #expect(counter.count == 2)
    try home.realm.write { try home.chore(2).minutes += 1 }
    #expect(counter.count == 3)
    try home.realm.write { chore.minutes += 1 }
    #expect(counter.count == 3)
    withExtendedLifetime(subscription) {}
  }
}
