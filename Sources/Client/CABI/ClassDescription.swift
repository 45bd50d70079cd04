// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncStore

/// A class as C callers see it, in memory with a stable address.
final class ClassDescription {
  private(set) var info = flx_class_info_t()
  private var texts = TextArena()
  private let properties: UnsafeMutableBufferPointer<flx_property_info_t>
  /// The revision of the class that is described.
  fileprivate let revision: Int

  init(_ classInfo: ClassInfo) {
    revision = classInfo.revision
    properties = .allocate(capacity: classInfo.properties.count)
    for (position, property) in classInfo.properties.enumerated() {
      properties.initializeElement(at: position, to: Self.describe(property, &texts))
    }
    info.name = texts.keep(classInfo.name)
    info.kind = flx_class_kind_t(rawValue: Int32(classInfo.schema.kind.rawValue)) ?? .FLX_CLASS_TOP_LEVEL
    info.properties = UnsafePointer(properties.baseAddress)
    info.property_count = properties.count
    info.key = classInfo.key
  }

  deinit { properties.deallocate() }

  func property(of column: Column) -> flx_property_info_t? {
    properties.first { Int($0.key) == column.index }
  }

  private static func describe(_ property: ClassInfo.DeclaredProperty, _ texts: inout TextArena)
    -> flx_property_info_t
  {
    var info = flx_property_info_t()
    info.name = texts.keep(property.schema.name)
    info.type = flx_type_t(rawValue: Int32(property.schema.type.rawValue)) ?? .FLX_TYPE_MIXED
    info.collection =
      flx_collection_t(rawValue: Int32(property.schema.collection.rawValue)) ?? .FLX_COLLECTION_NONE
    info.link_target = texts.keep(property.schema.linkTarget ?? "")
    info.is_nullable = property.schema.isNullable
    info.is_primary_key = property.isPrimaryKey
    info.is_indexed = property.schema.isIndexed
    info.key = flx_property_key_t(property.index)
    return info
  }
}

extension ClassInfo {
  /// The description for C callers, lent by the realm.
  var lentDescription: ClassDescription {
    if let newest = loans.last as? ClassDescription, newest.revision == revision { return newest }
    let description = ClassDescription(self)
    loans.append(description)
    return description
  }
}
