// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension DiscoveredClass {
  /// The kind of objects in the class.
  fileprivate var kind: flx_class_kind_t {
    switch type {
    case is EmbeddedObject.Type: .FLX_CLASS_EMBEDDED
    case is AsymmetricObject.Type: .FLX_CLASS_ASYMMETRIC
    default: .FLX_CLASS_TOP_LEVEL
    }
  }
}

extension DiscoveredProperty {
  /// Whether both are the same property of a class in the schema.
  fileprivate func agrees(with other: DiscoveredProperty) -> Bool {
    columnName == other.columnName && type.type == other.type.type && type.collection == other.type.collection
      && type.isNullable == other.type.isNullable && isPrimaryKey == other.isPrimaryKey
  }
}

/// Lends descriptions of classes to C. Several Swift classes may have one name in the schema: the class there has the
/// properties of all of them. The library refuses those that contradict each other.
func withClassInfos<Result>(
  _ classes: [DiscoveredClass],
  _ body: (UnsafeBufferPointer<flx_class_info_t>) throws -> Result
) rethrows -> Result {
  let arena = TextArena()
  let (classes, all) = merged(classes)
  let properties: [[flx_property_info_t]] = all.map { properties in
    properties.map { property -> flx_property_info_t in
      var info = flx_property_info_t()
      info.name = arena.text(property.columnName)
      info.type = property.type.type
      info.collection = property.type.collection
      info.link_target = arena.text(property.type.linkTarget.map { DiscoveredClass.of($0).name } ?? "")
      info.is_nullable = property.type.isNullable
      info.is_primary_key = property.isPrimaryKey
      info.is_indexed = property.isIndexed
      return info
    }
  }
  let flat = UnsafeMutableBufferPointer<flx_property_info_t>.allocate(
    capacity: properties.map(\.count).reduce(0, +)
  )
  defer { flat.deallocate() }
  _ = flat.initialize(from: properties.joined())
  var offset = 0
  let infos: [flx_class_info_t] = zip(classes, properties).map { discovered, own in
    defer { offset += own.count }
    var info = flx_class_info_t()
    info.name = arena.text(discovered.name)
    info.kind = discovered.kind
    info.properties = flat.baseAddress.map { UnsafePointer($0 + offset) }
    info.property_count = own.count
    return info
  }
  return try withExtendedLifetime(arena) { try infos.withUnsafeBufferPointer(body) }
}

/// Returns the first class of each name, and the properties of all that have the name.
private func merged(_ classes: [DiscoveredClass]) -> ([DiscoveredClass], [[DiscoveredProperty]]) {
  var first: [DiscoveredClass] = []
  var properties: [[DiscoveredProperty]] = []
  for discovered in classes {
    guard let index = first.firstIndex(where: { $0.name == discovered.name }) else {
      first.append(discovered)
      properties.append(discovered.properties)
      continue
    }
    for property in discovered.properties where !properties[index].contains(where: property.agrees) {
      properties[index].append(property)
    }
  }
  return (first, properties)
}

/// Owns copies of texts whose addresses are passed to C.
final class TextArena {
  private var copies: [UnsafeMutableBufferPointer<CChar>] = []

  deinit { for copy in copies { copy.deallocate() } }

  func text(_ text: String) -> flx_string_t {
    let bytes = text.utf8
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(bytes.count, 1))
    _ = copy.initialize(from: bytes.lazy.map { CChar(bitPattern: $0) })
    copies.append(copy)
    return flx_string_t(data: copy.baseAddress, size: bytes.count)
  }
}
