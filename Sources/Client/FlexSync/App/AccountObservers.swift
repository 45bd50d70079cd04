// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whom to tell of changes that the program makes to an app and its users. Any thread.
package final class AccountObservers: Sendable {
  private struct Observer: Sendable {
    /// The user to observe; nil for the app.
    let userID: String?
    let block: @Sendable () -> Void
  }

  private struct State: Sendable {
    var lastNumber = 0
    var observers: [Int: Observer] = [:]
  }

  private let state = Mutex(State())

  /// Adds an observer, which is called on the thread on which a request has ended.
  ///
  /// - Parameter userID: the user to observe; nil for the app.
  package func add(ofUser userID: String?, _ block: @escaping @Sendable () -> Void) -> NotificationToken {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.observers[state.lastNumber] = Observer(userID: userID, block: block)
      return state.lastNumber
    }
    let token = NotificationToken()
    token.begin { { [self] in state.withLock { _ = $0.observers.removeValue(forKey: number) } } }
    return token
  }

  /// Tells the observers of the app.
  func noteAppChange() { tell(userID: nil) }

  /// Tells the observers of the app and of a user that the user has logged in or out.
  func noteLogin(ofUser userID: String) {
    noteChange(ofUser: userID)
    noteAppChange()
  }

  /// Tells the observers of a user.
  func noteChange(ofUser userID: String) { tell(userID: userID) }

  private func tell(userID: String?) {
    let observers = state.withLock { state in
      state.observers.filter { $0.value.userID == userID }.sorted { $0.key < $1.key }
    }
    for (_, observer) in observers { observer.block() }
  }
}

extension App {
  package var observers: AccountObservers { handle.state.observers }
}
