// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A query in Realm Query Language with the values of `$0`, `$1` …
struct RenderedQuery {
  let text: String
  let arguments: [QueryArgument]

  init(text: String, arguments: [QueryArgument]) {
    self.text = text
    self.arguments = arguments
  }

  /// Creates a query from text of the program, with arguments of any type that a property can have or arrays of them;
  /// nil and `NSNull` stand for null. Placeholders may be those of Realm Query Language or of `NSPredicate`.
  init(text: String, anyArguments: [Any]) {
    guard text.contains("%") || text.contains("@all") else {
      self.init(text: text, arguments: anyArguments.map { QueryArgument($0) })
      return
    }
    var placeholders = PredicateFormat(arguments: anyArguments)
    let replaced = placeholders.replaced(in: text)
    let used = placeholders.hasReplacedNone ? anyArguments : placeholders.used
    self.init(text: replaced, arguments: used.map { QueryArgument($0) })
  }
}

/// One argument: a value or a list of values.
struct QueryArgument {
  let values: [OwnedValue]
  let isList: Bool

  init(_ value: some RealmCollectionValue) {
    values = [OwnedValue(value)]
    isList = false
  }

  init(list: [any RealmCollectionValue]) {
    values = list.map { OwnedValue($0) }
    isList = true
  }

  init(_ value: Any) {
    switch swiftValue(value) {
    case let single as any RealmCollectionValue: self.init(single)
    case is NSNull: self.init(Optional<Int>.none)
    case let list as any Sequence: self.init(list: list.elements.map(QueryArgument.element))
    default: QueryArgument.refuse(value)
    }
  }

  private static func element(_ value: Any) -> any RealmCollectionValue {
    switch swiftValue(value) {
    case let element as any RealmCollectionValue: return element
    case is NSNull: return Optional<Int>.none
    default: refuse(value)
    }
  }

  private static func refuse(_ value: Any) -> Never {
    Misuse.stop("'\(value)' of type \(type(of: value)) cannot be a query argument")
  }
}

extension Sequence {
  /// The elements as values of any type.
  fileprivate var elements: [Any] { map { $0 } }
}

/// The Swift value for one of Foundation's classes, which programs pass to predicates; any other value unchanged, without
/// its optionals. Nil becomes `NSNull`.
private func swiftValue(_ value: Any) -> Any {
  switch flattened(value) ?? NSNull() {
  case let text as NSString: text.description
  case let date as NSDate: Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
  case let data as NSData: Data(referencing: data)
  case let uuid as NSUUID: UUID(uuidString: uuid.uuidString) ?? uuid
  case let value: plainNumber(value)
  }
}
