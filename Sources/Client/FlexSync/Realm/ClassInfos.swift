// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension DiscoveredClass {
  /// Returns the classes of `types` and all classes that they link to, each once.
  static func closure(of types: [ObjectBase.Type]) -> [DiscoveredClass] {
    var result: [DiscoveredClass] = []
    var seen: Set<ObjectIdentifier> = []
    var pending = types
    while let type = pending.popLast() {
      guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
      let discovered = DiscoveredClass.of(type)
      result.append(discovered)
      pending.append(contentsOf: discovered.linkedClasses)
    }
    return result.sorted { $0.name < $1.name }
  }
}

/// Lends descriptions of classes to C.
func withClassInfos<Result>(
  _ classes: [DiscoveredClass],
  _ body: (UnsafeBufferPointer<flx_class_info_t>) throws -> Result
) rethrows -> Result {
  let arena = TextArena()
  let properties: [[flx_property_info_t]] = classes.map { discovered in
    discovered.properties.map { property -> flx_property_info_t in
      flx_property_info_t(
        name: arena.text(property.columnName),
        type: property.type.type,
        collection: property.type.collection,
        link_target: arena.text(property.type.linkTarget.map { DiscoveredClass.of($0).name } ?? ""),
        is_nullable: property.type.isNullable,
        is_primary_key: property.isPrimaryKey,
        is_indexed: property.isIndexed,
        key: 0
      )
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
    return flx_class_info_t(
      name: arena.text(discovered.name),
      kind: discovered.kind,
      properties: flat.baseAddress.map { UnsafePointer($0 + offset) },
      property_count: own.count,
      key: 0
    )
  }
  return try withExtendedLifetime(arena) { try infos.withUnsafeBufferPointer(body) }
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
