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
  ///
  /// - Parameter realm: The realm, which knows the class of `@links.Class.property`.
  func columnPath(_ keyPath: String, in realm: _RealmHandle) -> String {
    // The classes of dynamic objects have the names of the schema.
    if type == DynamicObject.self { return keyPath }
    var owner = self
    var names = keyPath.split(separator: ".", omittingEmptySubsequences: false)[...]
    var path: [String] = []
    while let name = names.popFirst() {
      if name == "@links", let origin = names.popFirst() {
        path += ["@links", String(origin)]
        // A class that has no Swift class has the names of the schema.
        guard let known = realm.swiftClass(named: String(origin)) else {
          return (path + names.map(String.init)).joined(separator: ".")
        }
        owner = known
        continue
      }
      guard let step = owner.step(named: String(name)) else {
        Misuse.stop("Invalid property name: property '\(name)' not found in object of type '\(owner.name)'")
      }
      // The property of `@links.Class.property` leads back to this class, from where the path came.
      if path.dropLast().last != "@links" { owner = step.destination ?? owner }
      path.append(step.columnName)
    }
    return path.joined(separator: ".")
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
