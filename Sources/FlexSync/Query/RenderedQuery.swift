// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A query in Realm Query Language with the values of its `$0`, `$1` …
struct RenderedQuery {
  var text: String
  var arguments: [QueryArgument]

  init(text: String, arguments: [QueryArgument]) {
    self.text = text
    self.arguments = arguments
  }

  /// Arguments of any type that a property can have, or arrays of such; nil and `NSNull` stand for null.
  init(text: String, anyArguments: [Any], _ handle: _RealmHandle) {
    self.init(text: text, arguments: anyArguments.map { QueryArgument($0, handle) })
  }

  /// Lends text and arguments to C.
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

  init(_ value: some RealmCollectionValue, _ handle: _RealmHandle?) {
    values = [OwnedValue(value, handle)]
    isList = false
  }

  init(list: [any RealmCollectionValue], _ handle: _RealmHandle?) {
    values = list.map { OwnedValue($0, handle) }
    isList = true
  }

  init(_ value: Any, _ handle: _RealmHandle?) {
    switch value {
    case let single as any RealmCollectionValue: self.init(single, handle)
    case is NSNull: self.init(Optional<Int>.none, handle)
    case let list as [Any]:
      self.init(
        list: list.map { element in
          guard let element = element as? any RealmCollectionValue else {
            preconditionFailure("'\(element)' cannot be an argument of a query")
          }
          return element
        },
        handle
      )
    default: preconditionFailure("'\(value)' of type \(type(of: value)) cannot be an argument of a query")
    }
  }
}

/// A value with its own copy of text or bytes.
final class OwnedValue {
  let value: flx_value_t
  private let copy: UnsafeMutableRawBufferPointer?

  init(_ source: some RealmCollectionValue, _ handle: _RealmHandle?) {
    (value, copy) = source._withFlex(handle) { borrowed in
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
