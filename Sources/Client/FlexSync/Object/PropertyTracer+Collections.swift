// SPDX-License-Identifier: Apache-2.0

// Key paths through collections of objects, such as `\Person.dogs[0].name`.

extension PropertyTracer {
  /// Returns what any element of a collection reads as: an object that records as well.
  func element<Element: RealmCollectionValue>() -> Element {
    (Element.self as? any TracedLink.Type)?.traced(by: self) as? Element ?? Element._defaultValue()
  }
}

extension ObjectBase: TracedLink {
  static func traced(by tracer: PropertyTracer) -> Self {
    let probe = Self()
    probe._tracer = tracer
    DiscoveredClass.of(self).number(probe)
    return probe
  }
}

extension _PersistedCollection: TracedLink {
  static func traced(by tracer: PropertyTracer) -> Self {
    let collection = Self()
    collection.tracer = tracer
    return collection
  }
}

extension LinkingObjects: TracedLink {
  static func traced(by tracer: PropertyTracer) -> LinkingObjects { LinkingObjects(tracer: tracer) }
}

/// The names of the properties on a key path, separated by dots: "owner.name" for `\Dog.owner?.name`, and "dogs.name" for
/// `\Person.dogs[0].name`, in which the element stands for any.
public func _name<ObjectType: ObjectBase>(for keyPath: PartialKeyPath<ObjectType>) -> String {
  let steps = DiscoveredClass.of(ObjectType.self).steps(of: keyPath)
  Misuse.require(!steps.isEmpty, "\(keyPath) is not a @Persisted property of \(ObjectType.self)")
  return steps.map(\.name).joined(separator: ".")
}

extension DiscoveredClass {
  /// The path in the names of the schema that a path in Swift names stands for. An unknown name stops the program.
  func columnPath(_ keyPath: String) -> String {
    // The classes of dynamic objects have the names of the schema.
    if type == DynamicObject.self { return keyPath }
    var owner = self
    return keyPath.split(separator: ".", omittingEmptySubsequences: false).map { component in
      guard let step = owner.step(named: String(component)) else {
        Misuse.stop(
          "Invalid property name: property '\(component)' not found in object of type '\(owner.name)'"
        )
      }
      owner = step.destination ?? owner
      return step.columnName
    }.joined(separator: ".")
  }

  private func step(named name: String) -> PropertyStep? {
    let backlink = backlinks.firstIndex { $0.name == name }.map { $0 + properties.count }
    return (ordinal(named: name) ?? backlink).map { PropertyStep(discovered: self, ordinal: $0) }
  }
}

extension PropertyStep {
  /// The class to whose objects the property leads; nil for plain values.
  fileprivate var destination: DiscoveredClass? {
    let properties = discovered.properties
    let type =
      ordinal < properties.count
      ? properties[ordinal].type.linkTarget : discovered.backlinks[ordinal - properties.count].originClass
    return type.map(DiscoveredClass.of)
  }
}
