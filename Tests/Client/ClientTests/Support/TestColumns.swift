// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

/// Memory for one column of a read in batches.
final class TestColumn {
  private let property: flx_property_info_t
  private let capacity: Int
  private let byteCapacity: Int
  private let values: UnsafeMutableRawPointer
  private let validity: UnsafeMutablePointer<UInt8>
  private let offsets: UnsafeMutablePointer<Int64>
  private let bytes: UnsafeMutableRawPointer

  init(_ property: flx_property_info_t, capacity: Int, byteCapacity: Int) {
    self.property = property
    self.capacity = capacity
    self.byteCapacity = byteCapacity
    let byteCount = max(1, capacity) * MemoryLayout<flx_value_t>.stride
    values = .allocate(byteCount: byteCount, alignment: 16)
    // As what was there before.
    values.initializeMemory(as: UInt8.self, repeating: 0xab, count: byteCount)
    validity = .allocate(capacity: max(1, capacity))
    offsets = .allocate(capacity: capacity + 1)
    bytes = .allocate(byteCount: max(1, byteCapacity), alignment: 1)
  }

  deinit {
    values.deallocate()
    validity.deallocate()
    offsets.deallocate()
    bytes.deallocate()
  }

  private var isText: Bool { property.type == .FLX_TYPE_STRING || property.type == .FLX_TYPE_BINARY }

  var description: flx_column_t {
    var column = flx_column_t()
    column.struct_size = MemoryLayout<flx_column_t>.size
    column.property = property.key
    column.type = property.type
    column.values = isText ? nil : values
    // A column that cannot be null needs none.
    column.validity = property.is_nullable || property.type == .FLX_TYPE_LINK ? validity : nil
    column.offsets = isText ? offsets : nil
    column.bytes = bytes
    column.byte_capacity = byteCapacity
    return column
  }

  /// The values of the first rows.
  func cells(_ count: Int) -> [Cell] { (0..<count).map(cell) }

  private func cell(_ row: Int) -> Cell {
    if property.type == .FLX_TYPE_MIXED { return Cell(element(row, flx_value_t.self)) }
    if description.validity?[row] == 0 { return .null }
    var value = flx_value_t()
    value.type = property.type
    switch property.type {
    case .FLX_TYPE_INT: value.integer = element(row, Int64.self)
    case .FLX_TYPE_BOOL: value.boolean = element(row, Bool.self)
    case .FLX_TYPE_TIMESTAMP: value.timestamp = element(row, flx_timestamp_t.self)
    case .FLX_TYPE_FLOAT: value.float_value = element(row, Float.self)
    case .FLX_TYPE_DOUBLE: value.double_value = element(row, Double.self)
    case .FLX_TYPE_DECIMAL: value.decimal = element(row, flx_decimal_t.self)
    case .FLX_TYPE_LINK: value.link = element(row, flx_link_t.self)
    case .FLX_TYPE_OBJECT_ID: value.object_id = element(row, flx_object_id_t.self)
    case .FLX_TYPE_UUID: value.uuid = element(row, flx_uuid_t.self)
    default: value.string = text(row)
    }
    return Cell(value)
  }

  /// The bytes of the first rows that belong to no member of the elements.
  func padding(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { row in
      let bytes = UnsafeRawBufferPointer(start: values + row * stride, count: stride)
      guard property.type == .FLX_TYPE_MIXED else { return Array(bytes[usedSize(of: property.type)...]) }
      let member = usedSize(of: element(row, flx_value_t.self).type)
      return Array(bytes[member..<16]) + bytes[20...]
    }
  }

  private var stride: Int {
    switch property.type {
    case .FLX_TYPE_TIMESTAMP: MemoryLayout<flx_timestamp_t>.stride
    case .FLX_TYPE_LINK: MemoryLayout<flx_link_t>.stride
    case .FLX_TYPE_MIXED: MemoryLayout<flx_value_t>.stride
    default: usedSize(of: property.type)
    }
  }

  private func usedSize(of type: flx_type_t) -> Int {
    switch type {
    case .FLX_TYPE_BOOL: 1
    case .FLX_TYPE_FLOAT: 4
    case .FLX_TYPE_INT, .FLX_TYPE_DOUBLE: 8
    case .FLX_TYPE_TIMESTAMP, .FLX_TYPE_LINK, .FLX_TYPE_OBJECT_ID: 12
    case .FLX_TYPE_NULL: 0
    default: 16
    }
  }

  private func element<Element>(_ row: Int, _: Element.Type) -> Element {
    values.assumingMemoryBound(to: Element.self)[row]
  }

  private func text(_ row: Int) -> flx_string_t {
    let start = Int(offsets[row])
    return flx_string_t(
      data: UnsafePointer((bytes + start).assumingMemoryBound(to: CChar.self)),
      size: Int(offsets[row + 1]) - start
    )
  }
}

extension TestResults {
  /// Reads some properties of the objects from an index on. Returns the values by row.
  func read(_ names: [String], from index: Int, capacity: Int, byteCapacity: Int = 4096) throws -> [[Cell]] {
    let columns = try names.map {
      TestColumn(try realm.property(className, $0), capacity: capacity, byteCapacity: byteCapacity)
    }
    var count = 0
    let descriptions = columns.map(\.description)
    try attempt { flx_results_read(handle, index, capacity, descriptions, descriptions.count, &count, $0) }
    let cells = columns.map { $0.cells(count) }
    return (0..<count).map { row in cells.map { $0[row] } }
  }

  /// Reads some properties of all objects in batches. Returns the values by row.
  func readAll(_ names: [String], capacity: Int, byteCapacity: Int = 4096) throws -> [[Cell]] {
    var rows: [[Cell]] = []
    while true {
      let batch = try read(names, from: rows.count, capacity: capacity, byteCapacity: byteCapacity)
      if batch.isEmpty { return rows }
      rows += batch
    }
  }
}
