// SPDX-License-Identifier: Apache-2.0

import Foundation
@_spi(Reflection) import Swift
import Synchronization

/// One `@Persisted` property as found in a class.
struct DiscoveredProperty {
  /// The name in the Swift class.
  let name: String
  /// The name in the schema, which is the same unless the class maps it.
  let columnName: String
  let type: _PropertyType
  let isPrimaryKey: Bool
  let isIndexed: Bool
  /// The type of its storage, a `Persisted` or a `RealmProperty`.
  let storage: any AnyPersisted.Type
  /// The offset of its storage in an instance of the class, in bytes.
  let offset: Int

  /// The address of the storage in an object, which the caller keeps alive.
  func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque() + offset
  }

  /// Sets the value that the property has outside a realm. Returns false if `value` cannot be converted to its type.
  func setUnmanaged(_ value: Any, in object: ObjectBase) -> Bool {
    storage.setUnmanagedValue(at: address(in: object), flattened(value) ?? NSNull())
  }
}

/// A property of linking objects, which is not part of the schema.
struct DiscoveredBacklink {
  let name: String
  let originClass: ObjectBase.Type
  /// The Swift name of the linking property.
  let originProperty: String
  /// The type of its storage, a `Persisted`.
  let storage: any AnyPersisted.Type
  /// The offset of its storage in an instance of the class, in bytes.
  let offset: Int
}

/// The library's description of a class of objects, discovered once per class and process from a probe instance.
///
/// The probe and the cache are guarded by `lock`; everything else is constant.
final class DiscoveredClass: @unchecked Sendable {
  let name: String
  let type: ObjectBase.Type
  /// The properties, those of superclasses first, each in declared order.
  let properties: [DiscoveredProperty]
  let primaryKeyOrdinal: Int?
  /// The properties of linking objects; their positions in the class follow those of `properties`.
  let backlinks: [DiscoveredBacklink]

  /// The offset in an instance, and the value, of each position that `number` stores. In plain memory, because an array
  /// would be retained for each object.
  private let numbers: UnsafeMutableBufferPointer<(offset: Int, ordinal: Int32)>
  /// The positions of the properties that are `RealmProperty`s.
  private let boxes: [Int]
  private let probe: ObjectBase
  private let tracer = PropertyTracer()
  private let lock = Mutex(())
  private var steps: [AnyKeyPath: [PropertyStep]] = [:]
  private var storedKeyPaths: [AnyKeyPath: Bool] = [:]

  private static let cache = Mutex<[ObjectIdentifier: DiscoveredClass]>([:])

  /// Returns the description of a class.
  static func of(_ type: ObjectBase.Type) -> DiscoveredClass {
    if let known = cache.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    // Outside the lock, because creating a probe runs the program's own initializer, which may use other classes.
    let discovered = DiscoveredClass(type)
    return cache.withLock { cache in
      if let known = cache[ObjectIdentifier(type)] { return known }
      cache[ObjectIdentifier(type)] = discovered
      return discovered
    }
  }

  private init(_ type: ObjectBase.Type) {
    self.type = type
    name = Self.name(of: type)
    let probe = type.init()
    let (properties, backlinks) = discoverProperties(of: probe)
    (self.properties, self.backlinks) = (properties, backlinks)
    primaryKeyOrdinal = properties.firstIndex { $0.isPrimaryKey }
    let boxes = properties.indices.filter { properties[$0].storage is any AnyRealmProperty.Type }
    let positions = (properties.map(\.offset) + backlinks.map(\.offset)).enumerated()
    let numbered = positions.filter { !boxes.contains($0.offset) }
    numbers = Self.kept(numbered.map { (offset: $0.element, ordinal: Int32($0.offset)) })
    self.boxes = boxes
    self.probe = probe
    probe._tracer = tracer
    number(probe)
  }

  /// Returns the name that a class has in the schema.
  static func name(of type: ObjectBase.Type) -> String { type._realmObjectName() ?? String(describing: type) }

  /// Describes the objects of a class as dynamic objects.
  init(dynamic name: String, _ properties: [DiscoveredProperty]) {
    type = DynamicObject.self
    self.name = name
    self.properties = properties
    primaryKeyOrdinal = properties.firstIndex { $0.isPrimaryKey }
    backlinks = []
    numbers = Self.kept([])
    boxes = []
    probe = DynamicObject()
  }

  deinit { numbers.deallocate() }

  private static func kept<Element>(_ elements: [Element]) -> UnsafeMutableBufferPointer<Element> {
    let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = memory.initialize(from: elements)
    return memory
  }

  /// Stores in each property of an instance its position in the class.
  ///
  /// Swift offers no other way for a property wrapper to learn which property of its object it is.
  func number(_ object: ObjectBase) {
    let base = Unmanaged.passUnretained(object).toOpaque()
    // The ordinal is the first field of `Persisted`.
    for (offset, ordinal) in numbers { base.storeBytes(of: ordinal, toByteOffset: offset, as: Int32.self) }
    for ordinal in boxes {
      let property = properties[ordinal]
      let storage = property.storage as? any AnyRealmProperty.Type
      storage?.attach(at: property.address(in: object), to: object, ordinal)
    }
  }

  /// The classes that this one links to, and those that its linking objects belong to.
  var linkedClasses: [ObjectBase.Type] {
    properties.compactMap(\.type.linkTarget) + backlinks.map(\.originClass)
  }

  /// The position of the property with a Swift name.
  func ordinal(named name: String) -> Int? { properties.firstIndex { $0.name == name } }

  /// The properties on a key path of this class, each of the class that the one before links to; none if the key path
  /// reads no property.
  func steps(of keyPath: AnyKeyPath) -> [PropertyStep] {
    if let known = lock.withLock({ _ in steps[keyPath] }) { return known }
    let found = steps { probe in
      let value = probe[keyPath: keyPath]
      if let box = value as? any AnyRealmProperty { tracer.record(probe, box.ordinal) }
    }
    lock.withLock { _ in steps[keyPath] = found }
    return found
  }

  /// Whether an integer that is set at a key path arrives in a property as it is: the key path is that of the property, or
  /// of another name of it, rather than of one that is computed from it.
  ///
  /// - Parameter set: sets an integer at the key path.
  func isStored(_ keyPath: AnyKeyPath, _ ordinal: Int, _ set: (ObjectBase, Int) -> Void) -> Bool {
    if let known = lock.withLock({ _ in storedKeyPaths[keyPath] }) { return known }
    // Outside the lock, because this runs the program's own code.
    let sample = type.init()
    let isStored = [1, -1_000_003].allSatisfy { number in
      set(sample, number)
      return sample.value(of: ordinal, in: self) as? Int == number
    }
    lock.withLock { _ in storedKeyPaths[keyPath] = isStored }
    return isStored
  }

  /// The properties that a program reads of an object of this class, as for a key path.
  func steps(_ read: (ObjectBase) -> Void) -> [PropertyStep] {
    lock.withLock { _ in
      tracer.removeAll()
      defer { tracer.removeAll() }
      read(probe)
      return tracer.reads.map { read in
        let isOwn = read.owner === probe
        return PropertyStep(
          discovered: isOwn ? self : DiscoveredClass.of(Swift.type(of: read.owner)),
          ordinal: read.ordinal
        )
      }
    }
  }
}

/// Finds the `@Persisted` properties of a class, including linking objects, in the field metadata that the compiler
/// emits.
private func discoverProperties(of probe: ObjectBase) -> ([DiscoveredProperty], [DiscoveredBacklink]) {
  let probeType = type(of: probe)
  let columnNames = probeType.propertiesMapping()
  let (primaryKey, indexed) = (probeType.primaryKey(), Set(probeType.indexedProperties()))
  let ignored = Set(probeType.ignoredProperties())
  let base = UnsafeRawPointer(Unmanaged.passUnretained(probe).toOpaque())
  var found: [DiscoveredProperty] = []
  var backlinks: [DiscoveredBacklink] = []
  let fieldsOfClass = _EachFieldOptions(rawValue: 1)
  _forEachField(of: probeType, options: fieldsOfClass) { fieldName, offset, fieldType, _ in
    guard let storage = fieldType as? any AnyPersisted.Type else { return true }
    let field = String(cString: fieldName)
    // The storage of a wrapped property `x` is named `_x`.
    let name = storage is any AnyRealmProperty.Type ? field : String(field.dropFirst())
    if ignored.contains(name) { return true }
    if let linking = storage.linkingObjects(at: base + offset) {
      let origin = Swift.type(of: linking).originClass
      backlinks.append(
        DiscoveredBacklink(
          name: name,
          originClass: origin,
          originProperty: linking.propertyName,
          storage: storage,
          offset: offset
        )
      )
      return true
    }
    let attributes = storage.attributes(at: base + offset)
    found.append(
      DiscoveredProperty(
        name: name,
        columnName: columnNames[name] ?? name,
        type: storage.propertyType,
        isPrimaryKey: attributes.isPrimaryKey || name == primaryKey,
        isIndexed: attributes.isIndexed || indexed.contains(name),
        storage: storage,
        offset: offset
      )
    )
    return true
  }
  return withExtendedLifetime(probe) { (found, backlinks) }
}
