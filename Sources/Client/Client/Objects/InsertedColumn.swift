// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncStore

/// The values of one property for a number of new objects, in the memory of the program. It holds no counted references,
/// because it is used for every value.
struct InsertedColumn {
  let source: flx_column_t
  let traits: PropertyTraits
  /// Whether a `Cell` holds the values: they refer to no other object, and all have the same type.
  let holdsCells: Bool

  /// Checks that the column suits the class and has the memory that it needs.
  ///
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, TYPE_MISMATCH, INVALID_ARGUMENT.
  init(_ source: flx_column_t, _ info: ClassInfo, count: Int) throws {
    let column = try source.property(of: info)
    if column.isEmbedded { throw CoreError.holdsEmbeddedObjects(column) }
    self.source = source
    traits = info.traits[column.index]
    holdsCells = traits.type != .link && traits.type != .mixed
    try requireMemory(count)
  }

  var column: Column { traits.column.takeUnretainedValue() }

  private func requireMemory(_ count: Int) throws {
    guard count > 0 else { return }
    try source.requireElements(column)
    guard source.isOfBytes, let offsets = source.offsets else { return }
    var last = offsets[0]
    guard last >= 0 else {
      throw CoreError.invalidArgument(
        "The column of '\(column.path)' has \(last) in offsets[0], which must not be negative."
      )
    }
    for index in 1...count {
      guard offsets[index] >= last else {
        throw CoreError.invalidArgument(
          "The offsets of the column of '\(column.path)' must not decrease, but offsets[\(index)] is "
            + "\(offsets[index]) after \(last)."
        )
      }
      last = offsets[index]
    }
    guard last <= source.byteCount else {
      throw CoreError.invalidArgument(
        "The offsets of the column of '\(column.path)' reach \(last) bytes, but 'byte_capacity' is "
          + "\(source.byteCount)."
      )
    }
    if last > 0, source.bytes == nil { throw source.missing("bytes", column) }
  }

  // MARK: Values

  @inline(__always)
  private func isNull(_ index: Int) -> Bool { source.validity.map { $0[index] == 0 } ?? false }

  /// Borrows a value. Nil if it does not fit the property; `value(at:)` then leads to the error.
  @inline(__always)
  func cell(at index: Int) -> Cell? {
    if isNull(index) { return traits.isNullable ? Cell(.null) : nil }
    // These need no check, and are copied from the column without a detour.
    switch source.type {
    case .FLX_TYPE_INT: return Cell(.int, element(index, as: UInt64.self))
    case .FLX_TYPE_BOOL: return Cell(.bool, element(index, as: UInt8.self) == 0 ? 0 : 1)
    default: return Cell(value(at: index), ofType: traits.type)
    }
  }

  /// Returns a value as `flx_object_set` takes it.
  func value(at index: Int) -> flx_value_t {
    var value = flx_value_t()
    value.type = .FLX_TYPE_NULL
    if isNull(index) { return value }
    value.type = source.type
    // Over the types of properties, because of which the compiler finds a missing one.
    switch traits.type {
    case .int: value.integer = element(index, as: Int64.self)
    case .bool: value.boolean = element(index, as: UInt8.self) != 0
    case .string: value.string = bytes(at: index)
    case .binary: value.binary = bytes(at: index)
    case .timestamp: value.timestamp = element(index, as: flx_timestamp_t.self)
    case .float: value.float_value = element(index, as: Float.self)
    case .double: value.double_value = element(index, as: Double.self)
    case .decimal: value.decimal = element(index, as: flx_decimal_t.self)
    case .link: value.link = element(index, as: flx_link_t.self)
    case .objectId: value.object_id = element(index, as: flx_object_id_t.self)
    case .uuid: value.uuid = element(index, as: flx_uuid_t.self)
    case .mixed: return element(index, as: flx_value_t.self)
    }
    return value
  }

  @inline(__always)
  private func element<Element>(_ index: Int, as _: Element.Type) -> Element {
    // `requireMemory` has verified that there is memory.
    source.values.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)[index]
  }

  @inline(__always)
  private func bytes(at index: Int) -> flx_string_t {
    guard let offsets = source.offsets, let bytes = source.bytes else { return flx_string_t() }
    let start = Int(offsets[index])
    return flx_string_t(
      data: bytes.advanced(by: start).assumingMemoryBound(to: CChar.self),
      size: Int(offsets[index + 1]) - start
    )
  }
}
