// SPDX-License-Identifier: Apache-2.0

import FlexSync

/// What can be observed by its name in a scenario.
protocol Observed {
  func observe(_ keyPaths: [String]?, by observer: Observer) -> NotificationToken
}

/// An observer of the step `observe`, and the lines that it has been told since the last step `changes`.
final class Observer {
  let name: String
  /// The properties of the class of an observed object, in order.
  private let properties: [String]
  private var token: NotificationToken?
  private var lines: [String] = []

  init(_ name: String, properties: [String]) {
    self.name = name
    self.properties = properties
  }

  func start(_ subject: any Observed, _ keyPaths: [String]?) {
    token = subject.observe(keyPaths, by: self)
  }

  func start<Class: ScenarioObject>(_ object: Class, _ keyPaths: [String]?) {
    token = object.observe(keyPaths: keyPaths) { [unowned self] (change: ObjectChange<Class>) in
      switch change {
      case .change(_, let changes):
        let changed = changes.map(\.name)
        lines.append((["changed"] + properties.filter(changed.contains)).joined(separator: " "))
      case .deleted: lines.append("deleted")
      case .error(let error): lines.append("error: \(error)")
      }
    }
  }

  /// What it has been told since the last time.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  fileprivate func note<Collection>(_ change: RealmCollectionChange<Collection>) {
    switch change {
    case .initial: lines.append("first")
    case .update(_, let deletions, let insertions, let modifications):
      note(deletions, insertions, modifications)
    case .error(let error): lines.append("error: \(error)")
    }
  }

  fileprivate func note<Value>(_ change: RealmMapChange<Map<String, Value>>) {
    switch change {
    case .initial: lines.append("first")
    case .update(_, let deletions, let insertions, let modifications):
      note(deletions, insertions, modifications)
    case .error(let error): lines.append("error: \(error)")
    }
  }

  private func note<Place>(_ deletions: [Place], _ insertions: [Place], _ modifications: [Place]) {
    let all = [("deleted", deletions), ("inserted", insertions), ("modified", modifications)]
    let words = all.filter { !$0.1.isEmpty }.map { verb, places in
      "\(verb) [\(places.map { "\($0)" }.joined(separator: ", "))]"
    }
    lines.append(words.joined(separator: " "))
  }
}

extension Results: Observed {
  func observe(_ keyPaths: [String]?, by observer: Observer) -> NotificationToken {
    observe(keyPaths: keyPaths) { [unowned observer] in observer.note($0) }
  }
}

extension List: Observed {
  func observe(_ keyPaths: [String]?, by observer: Observer) -> NotificationToken {
    observe(keyPaths: keyPaths) { [unowned observer] in observer.note($0) }
  }
}

extension MutableSet: Observed {
  func observe(_ keyPaths: [String]?, by observer: Observer) -> NotificationToken {
    observe(keyPaths: keyPaths) { [unowned observer] in observer.note($0) }
  }
}

extension Map: Observed where Key == String {
  func observe(_ keyPaths: [String]?, by observer: Observer) -> NotificationToken {
    observe(keyPaths: keyPaths) { [unowned observer] in observer.note($0) }
  }
}
