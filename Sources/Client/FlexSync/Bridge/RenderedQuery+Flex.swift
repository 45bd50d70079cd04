// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension RenderedQuery {
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

/// A value that owns a copy of its text or bytes.
final class OwnedValue {
  let value: flx_value_t
  private let copy: UnsafeMutableRawBufferPointer?

  init(_ source: some RealmCollectionValue) {
    if let object = source as? ObjectBase {
      precondition(object._managed != nil, "An object in a query must belong to the realm")
    }
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
}
