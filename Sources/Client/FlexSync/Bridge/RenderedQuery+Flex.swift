// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension RenderedQuery {
  /// Lends the text and the arguments to C.
  ///
  /// - Parameter realm: the realm that is queried.
  func withFlex<Result>(
    _ realm: _RealmHandle,
    _ body: (flx_string_t, UnsafeBufferPointer<flx_query_argument_t>) throws -> Result
  ) rethrows -> Result {
    let values = arguments.map { $0.values.map { $0.value(in: realm) } }
    let flat = Array(values.joined())
    return try flat.withUnsafeBufferPointer { flat in
      var offset = 0
      let flexArguments = zip(arguments, values).map { argument, own -> flx_query_argument_t in
        defer { offset += own.count }
        var flexArgument = flx_query_argument_t()
        flexArgument.values = flat.baseAddress.map { $0 + offset }
        flexArgument.count = own.count
        flexArgument.is_list = argument.isList
        return flexArgument
      }
      return try withExtendedLifetime(arguments) {
        try flexArguments.withUnsafeBufferPointer { list in try text.withFlexString { try body($0, list) } }
      }
    }
  }
}

/// A value that owns a copy of its text or bytes.
final class OwnedValue {
  private let value: flx_value_t
  private let copy: UnsafeMutableRawBufferPointer?
  private let object: ObjectBase?

  init(_ source: some RealmCollectionValue) {
    object = OwnedValue.object(in: source)
    (value, copy) = source._withFlex(nil) { borrowed in
      var value = borrowed.flex
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

  private static func object(in source: any RealmCollectionValue) -> ObjectBase? {
    switch flattened(source) {
    case let object as ObjectBase: object
    case AnyRealmValue.object(let object)?: object
    default: nil
    }
  }

  /// The value for a query in a realm. An object that is in no realm, or was deleted, equals none of the realm's.
  func value(in realm: _RealmHandle) -> flx_value_t {
    guard let object else { return value }
    guard let managed = object._managed, managed.isValid else { return realm.linkToNothing(like: object) }
    Misuse.require(managed.realm.isSame(as: realm), "Object must be from the Realm being queried")
    return value
  }
}

extension _RealmHandle {
  /// A link that leads to no object of an object's class.
  fileprivate func linkToNothing(like object: ObjectBase) -> flx_value_t {
    var value = flx_value_t()
    value.type = .FLX_TYPE_LINK
    value.link = flx_link_t(row: -1, target_class: binding(of: type(of: object)).classKey)
    return value
  }
}
