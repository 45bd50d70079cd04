// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The values of one column, as a program passes them to `flx_objects_insert`.
struct InputColumn {
  /// The column, as `keeper` lends its memory.
  private(set) var description = flx_column_t()

  init(_ property: flx_property_info_t, _ cells: [Cell], _ keeper: inout Keeper) {
    description.struct_size = MemoryLayout<flx_column_t>.size
    description.property = property.key
    description.type = property.type
    description.validity = keeper.keep(cells.map { $0 == .null ? UInt8(0) : 1 }).baseAddress
    let values = keeper.keep([UInt8](repeating: 0, count: 32 * cells.count))
    description.values = UnsafeMutableRawPointer(values.baseAddress)
    var bytes: [UInt8] = []
    var offsets: [Int64] = [0]
    for (index, cell) in cells.enumerated() {
      cell.withC { value in
        store(value, index)
        if value.type == .FLX_TYPE_STRING || value.type == .FLX_TYPE_BINARY {
          bytes += UnsafeRawBufferPointer(start: value.string.data, count: value.string.size)
        }
      }
      offsets.append(Int64(bytes.count))
    }
    description.offsets = keeper.keep(offsets).baseAddress
    description.byte_capacity = bytes.count
    description.bytes = UnsafeMutableRawPointer(keeper.keep(bytes).baseAddress)
  }

  private func store(_ value: flx_value_t, _ index: Int) {
    if description.type == .FLX_TYPE_MIXED {
      description.values?.assumingMemoryBound(to: flx_value_t.self)[index] = value
      return
    }
    switch value.type {
    case .FLX_TYPE_INT: store(value.integer, index)
    case .FLX_TYPE_BOOL: store(value.boolean, index)
    case .FLX_TYPE_TIMESTAMP: store(value.timestamp, index)
    case .FLX_TYPE_FLOAT: store(value.float_value, index)
    case .FLX_TYPE_DOUBLE: store(value.double_value, index)
    case .FLX_TYPE_OBJECT_ID: store(value.object_id, index)
    case .FLX_TYPE_UUID: store(value.uuid, index)
    case .FLX_TYPE_LINK: store(value.link, index)
    case .FLX_TYPE_DECIMAL: store(value.decimal, index)
    default: break
    }
  }

  private func store<Value>(_ value: Value, _ index: Int) {
    description.values?.assumingMemoryBound(to: Value.self)[index] = value
  }
}

extension TestRealm {
  /// Inserts objects from columns.
  ///
  /// - Parameters:
  ///   - columns: The values of properties, by name.
  ///   - inserted: The number of objects created, as C was told.
  ///   - change: Changes what C gets.
  func insert(
    _ className: String,
    _ columns: [(name: String, cells: [Cell])],
    inserted: inout Int,
    _ change: (inout [flx_column_t]) -> Void = { _ in }
  ) throws {
    var keeper = Keeper()
    defer { keeper.free() }
    var described = try columns.map { name, cells in
      InputColumn(try property(className, name), cells, &keeper).description
    }
    change(&described)
    let key = try classKey(className)
    let count = columns.first?.cells.count ?? 0
    try attempt { flx_objects_insert(handle, key, described, described.count, count, &inserted, $0) }
  }
}
