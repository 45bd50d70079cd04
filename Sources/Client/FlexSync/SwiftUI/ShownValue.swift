// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// The object, collection or projection that a view shows and follows.
final class ShownValue<Value: RealmSubscribable & Equatable>: ObservableObject {
  private let changes = PassthroughSubject<Void, Never>()
  private let replacement: Value
  private var observation: AnyCancellable?
  /// Whether there has been a subscriber.
  private var isFollowed = false

  /// The live value, or one in no realm.
  var value: Value {
    didSet {
      guard value != oldValue else { return }
      value = value.live
      observation = nil
      observe()
      changes.send()
    }
  }

  /// - Parameter replacement: shown once the value was deleted.
  init(_ value: Value, replacement: Value) {
    self.value = value.live
    self.replacement = replacement
  }

  /// Publishes after each change. The observation begins with the first subscriber, because a view makes many of these that
  /// it does not show.
  var objectWillChange: AnyPublisher<Void, Never> {
    changes.handleEvents(receiveSubscription: { [weak self] _ in self?.follow() }).eraseToAnyPublisher()
  }

  /// Tells of a change of a value in no realm.
  func noteChange() { if value.realm == nil { changes.send() } }

  /// The value that can be edited.
  var editable: Value { value.isInvalidated ? replacement : value }

  /// The value as it is now. It never changes, so a view can compare it with the next one.
  var shown: Value {
    // The value may have been added to a realm meanwhile.
    observe()
    guard value.realm != nil else { return value }
    return value.isInvalidated ? replacement : value.freeze()
  }

  private func follow() {
    isFollowed = true
    observe()
  }

  private func observe() {
    guard isFollowed, observation == nil, value.realm != nil, !value.isInvalidated else { return }
    observation = valuePublisher(value)
      .sink(
        receiveCompletion: { [changes] _ in changes.send() },
        receiveValue: { [changes] _ in changes.send() }
      )
  }
}

extension ThreadConfined {
  /// The value in a live realm; itself if it is in none, or deleted.
  var live: Self { realm != nil && !isInvalidated && isFrozen ? thaw() ?? self : self }
}
