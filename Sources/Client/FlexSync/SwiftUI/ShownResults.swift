// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import struct FlexSync.SortDescriptor
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// The results that a view shows and follows.
final class ShownResults<Element: RealmFetchable>: ObservableObject {
  private typealias Condition = (Results<Element>) -> Results<Element>

  private let changes = PassthroughSubject<Void, Never>()
  private let keyPaths: [String]?
  private var results: Results<Element>?
  private var observation: AnyCancellable?
  private var searchText = ""

  /// The configuration of the realm; nil for that of the environment.
  private var configuration: Realm.Configuration? { didSet { restart() } }
  private var condition: Condition? { didSet { restart() } }
  var sortDescriptors: [SortDescriptor] = [] { didSet { restart() } }
  private var search: Condition? { didSet { restart() } }

  /// A query in Realm Query Language that the objects satisfy. It replaces `isIncluded`.
  var filter: String? {
    didSet { condition = filter.map { text in { $0.filter(text) } } }
  }

  /// A condition that the objects satisfy. It replaces `filter`.
  var isIncluded: ((Query<Element>) -> Query<Bool>)? {
    didSet { condition = isIncluded.map { isIncluded in { $0.where(isIncluded) } } }
  }

  init(keyPaths: [String]?, configuration: Realm.Configuration?) {
    self.keyPaths = keyPaths
    self.configuration = configuration
  }

  /// Publishes when the view is to be updated.
  var objectWillChange: AnyPublisher<Void, Never> {
    changes.handleEvents(receiveSubscription: { [weak self] _ in self?.observe() }).eraseToAnyPublisher()
  }

  /// The live results. A realm that cannot be opened stops the program.
  var live: Results<Element> {
    if let results { return results }
    let made = make()
    results = made
    return made
  }

  /// Takes the configuration of the environment if there is no other.
  func adopt(_ environment: Realm.Configuration) {
    if configuration == nil { configuration = environment }
  }

  /// Shows only objects with a text in a property; all for an empty text.
  func find<Searched: ObjectBase>(_ text: String, in keyPath: KeyPath<Searched, String>) {
    guard text != searchText else { return }
    searchText = text
    let name = Searched._path(of: keyPath)
    search = text.isEmpty ? nil : { $0.filter("%K CONTAINS %@", name, text) }
  }

  private func make() -> Results<Element> {
    do {
      let realm = try Realm(configuration: configuration ?? .defaultConfiguration)
      let found = [condition, search].reduce(realm.objects(Element.self)) { $1?($0) ?? $0 }
      return sortDescriptors.isEmpty ? found : found.sorted(by: sortDescriptors)
    } catch {
      Misuse.stop("\(error)")
    }
  }

  /// Makes the results again if they have been shown.
  private func restart() {
    guard results != nil else { return }
    results = nil
    let isObserved = observation != nil
    observation = nil
    if isObserved { observe() }
    changes.send()
  }

  private func observe() {
    guard observation == nil else { return }
    observation = live.collectionPublisher(keyPaths: keyPaths)
      .sink(receiveCompletion: { _ in }, receiveValue: { [changes] _ in changes.send() })
  }
}
