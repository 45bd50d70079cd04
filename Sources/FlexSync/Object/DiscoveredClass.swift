// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// Notes which property of a probe object is read.
final class PropertyTracer {
  var ordinal: Int32 = -1
}

/// One `@Persisted` property as found in a class.
struct DiscoveredProperty {
  let name: String
  let type: _PropertyType
  let isPrimaryKey: Bool
  let isIndexed: Bool
}

/// What the library knows of a subclass of `Object`: found once per class and process, from a probe instance.
///
/// The probe and the cache are guarded by `lock`; everything else is constant.
final class DiscoveredClass: @unchecked Sendable {
  let name: String
  let type: Object.Type
  let properties: [DiscoveredProperty]

  private let probe: Object
  private let tracer = PropertyTracer()
  private let lock = Mutex(())
  private var ordinals: [AnyKeyPath: Int] = [:]

  private static let cache = Mutex<[ObjectIdentifier: DiscoveredClass]>([:])

  /// The description of a class.
  static func of(_ type: Object.Type) -> DiscoveredClass {
    if let known = cache.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    // Outside the lock, because building a probe runs the program's own initialiser, which may use other classes.
    let discovered = DiscoveredClass(type)
    return cache.withLock { cache in
      if let known = cache[ObjectIdentifier(type)] { return known }
      cache[ObjectIdentifier(type)] = discovered
      return discovered
    }
  }

  private init(_ type: Object.Type) {
    self.type = type
    name = String(describing: type)
    probe = Construction.build(type)
    var found: [(ordinal: Int32, property: DiscoveredProperty)] = []
    for (label, persisted) in persistedProperties(of: probe) {
      let property = DiscoveredProperty(
        name: label,
        type: persisted.propertyType,
        isPrimaryKey: persisted.isPrimaryKey,
        isIndexed: persisted.isIndexed
      )
      found.append((persisted.ordinal, property))
    }
    properties = found.sorted { $0.ordinal < $1.ordinal }.map(\.property)
    probe._tracer = tracer
  }

  var primaryKeyOrdinal: Int? { properties.firstIndex { $0.isPrimaryKey } }

  /// The classes that this one links to, itself left out.
  var linkedClasses: [Object.Type] { properties.compactMap(\.type.linkTarget) }

  /// The position of the property that a key path of this class leads to.
  func ordinal(of keyPath: AnyKeyPath) -> Int {
    lock.withLock { _ in
      if let known = ordinals[keyPath] { return known }
      tracer.ordinal = -1
      _ = probe[keyPath: keyPath]
      guard tracer.ordinal >= 0 else {
        preconditionFailure("\(keyPath) is not a @Persisted property of \(name)")
      }
      let ordinal = Int(tracer.ordinal)
      ordinals[keyPath] = ordinal
      return ordinal
    }
  }

  /// The name of the property that a key path of this class leads to.
  func name(of keyPath: AnyKeyPath) -> String { properties[ordinal(of: keyPath)].name }
}

/// The `@Persisted` properties of an object with their names, those of superclasses first.
func persistedProperties(of object: Object) -> [(name: String, persisted: any AnyPersisted)] {
  var mirrors: [Mirror] = []
  var mirror: Mirror? = Mirror(reflecting: object)
  while let current = mirror {
    mirrors.append(current)
    mirror = current.superclassMirror
  }
  return mirrors.reversed().flatMap { mirror in
    mirror.children.compactMap { child in
      // The storage of a wrapped property `x` is called `_x`.
      guard let persisted = child.value as? any AnyPersisted, let label = child.label else { return nil }
      return (String(label.dropFirst()), persisted)
    }
  }
}
