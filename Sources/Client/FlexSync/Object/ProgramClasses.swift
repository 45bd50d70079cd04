// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import ObjectiveC
#endif

/// The classes of objects that the program has, by their names in the schema.
///
/// A realm without `objectTypes` gets a class when it is first used, also if that is by its name. What a file already has
/// must be compared with the program's classes, and migrated, when it is opened; they are found here.
enum ProgramClasses {
  /// Found once. Classes that the program loads later are not among them.
  private static let byName = Dictionary(grouping: all(), by: DiscoveredClass.name(of:))

  /// Returns the class with a name; nil if there is none, or if several have it.
  static func named(_ name: String) -> ObjectBase.Type? {
    guard let types = byName[name], types.count == 1 else { return nil }
    return types.first
  }

  /// The classes whose name no other one has, by name.
  static var unambiguous: [ObjectBase.Type] { byName.keys.sorted().compactMap(named) }

  private static func all() -> [ObjectBase.Type] {
    let own: [ObjectBase.Type] = [
      ObjectBase.self, Object.self, EmbeddedObject.self, AsymmetricObject.self, DynamicObject.self,
      SearchedElement.self,
    ]
    return classes().compactMap { $0 as? ObjectBase.Type }.filter { type in
      !own.contains { $0 == type } && type.shouldIncludeInDefaultSchema()
    }
  }

  #if canImport(Darwin)
  private static func classes() -> [Any.Type] {
    var count: UInt32 = 0
    guard let list = objc_copyClassList(&count) else { return [] }
    defer { free(UnsafeMutableRawPointer(list)) }
    return (0..<Int(count)).map { list[$0] }
  }
  #else
  private static func classes() -> [Any.Type] {
    let found = ClassList()
    enumerateMetadataSections(
      { sections, list in
        guard let list else { return false }
        Unmanaged<ClassList>.fromOpaque(list).takeUnretainedValue().add(sections)
        return true
      },
      Unmanaged.passUnretained(found).toOpaque()
    )
    return found.classes
  }
  #endif
}

#if !canImport(Darwin)

/// Calls a function with the sections of Swift metadata of each loaded library, until it returns false. Swift's runtime
/// has it for test frameworks, which look for tests in the same way.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateMetadataSections(
  _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool,
  _ context: UnsafeMutableRawPointer?
)

/// Collects the classes that have a superclass and are not generic, from the type records of Swift's binary interface.
private final class ClassList {
  private(set) var classes: [Any.Type] = []

  /// The layout of the runtime's `MetadataSections` up to the type records: pointers and sizes, all of one word.
  private struct Sections {
    let version, baseAddress, unusedFirst, unusedSecond: UInt
    let protocols, protocolsSize, conformances, conformancesSize: UInt
    let types: UnsafeRawPointer?
    let typesSize: Int
  }

  func add(_ pointer: UnsafeRawPointer) {
    let sections = pointer.load(as: Sections.self)
    guard let types = sections.types else { return }
    for offset in stride(from: 0, to: sections.typesSize, by: MemoryLayout<Int32>.size) {
      // The lowest bits of the reference are its kind: 0 for a reference to the description itself.
      let record = types + offset
      guard record.load(as: Int32.self) & 3 == 0, let description = ClassDescription(referredBy: record)
      else {
        continue
      }
      classes.append(description.type)
    }
  }
}

/// The description of a class: 32-bit words, of which most are references relative to their own address.
private struct ClassDescription {
  private static let classKind: UInt32 = 16
  private static let isGeneric: UInt32 = 0x80
  private static let accessorOffset = 12
  private static let superclassOffset = 20

  private let address: UnsafeRawPointer

  /// Follows a reference to the description of a type; nil unless it is a class as above.
  init?(referredBy reference: UnsafeRawPointer) {
    guard let address = Self.target(of: reference) else { return nil }
    let flags = address.load(as: UInt32.self)
    guard flags & 0x1f == Self.classKind, flags & Self.isGeneric == 0,
      (address + Self.superclassOffset).load(as: Int32.self) != 0
    else { return nil }
    self.address = address
  }

  /// The class, which its accessor returns in the first register.
  var type: Any.Type {
    typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer
    guard let accessor = Self.target(of: address + Self.accessorOffset) else { return Any.self }
    return unsafeBitCast(unsafeBitCast(accessor, to: Accessor.self)(0), to: Any.Type.self)
  }

  private static func target(of reference: UnsafeRawPointer) -> UnsafeRawPointer? {
    let distance = reference.load(as: Int32.self)
    return distance == 0 ? nil : reference + Int(distance)
  }
}

#endif
