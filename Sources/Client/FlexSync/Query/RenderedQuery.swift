// SPDX-License-Identifier: Apache-2.0

import CFlexSync
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
    self.init(text: replaced, arguments: placeholders.used.map { QueryArgument($0) })
  }

  /// Lends the text and the arguments to C.
  func withFlex<Result>(
    _ body: (flx_string_t, UnsafeBufferPointer<flx_query_argument_t>) throws -> Result
  ) rethrows -> Result {
    let values = arguments.map { $0.values.map(\.value) }
    let flat = Array(values.joined())
    return try flat.withUnsafeBufferPointer { flat in
      var offset = 0
      let flexArguments = zip(arguments, values).map { argument, own in
        defer { offset += own.count }
        return flx_query_argument_t(
          values: flat.baseAddress.map { $0 + offset },
          count: own.count,
          is_list: argument.isList
        )
      }
      return try withExtendedLifetime(arguments) {
        try flexArguments.withUnsafeBufferPointer { list in try text.withFlexString { try body($0, list) } }
      }
    }
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
    switch value {
    case let single as any RealmCollectionValue: self.init(single)
    case is NSNull: self.init(Optional<Int>.none)
    case let list as any Sequence: self.init(list: list.elements.map(QueryArgument.element))
    default: QueryArgument.refuse(value)
    }
  }

  private static func element(_ value: Any) -> any RealmCollectionValue {
    guard let element = value as? any RealmCollectionValue else { refuse(value) }
    return element
  }

  private static func refuse(_ value: Any) -> Never {
    preconditionFailure("'\(value)' of type \(type(of: value)) cannot be a query argument")
  }
}

extension Sequence {
  /// The elements as values of any type.
  fileprivate var elements: [Any] { map { $0 } }
}

/// A value that owns a copy of its text or bytes.
final class OwnedValue {
  let value: flx_value_t
  private let copy: UnsafeMutableRawBufferPointer?

  init(_ source: some RealmCollectionValue) {
    if let object = source as? ObjectBase {
      precondition(object._managed != nil, "An object in a query must belong to the realm")
    }
    (value, copy) = source._withFlex(nil) { borrowed in
      var value = borrowed.pointee
      guard value.type == .FLX_TYPE_STRING || value.type == .FLX_TYPE_BINARY else { return (value, nil) }
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(value.string.size, 1), alignment: 1)
      if let start = value.string.data {
        copy.copyMemory(from: UnsafeRawBufferPointer(start: start, count: value.string.size))
      }
      value.string.data = copy.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
      return (value, copy)
    }
  }

  deinit { copy?.deallocate() }
}
