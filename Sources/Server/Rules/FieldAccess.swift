// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A set of properties of a class, by name; of embedded objects it may contain only some properties. The primary key
/// is implicitly in every set, because no object exists without it.
package struct FieldAccess: Hashable, Sendable {
  /// The accessible part of the embedded objects in a property.
  package struct Part: Hashable, Sendable {
    package var fields: FieldAccess
    /// Whether the property is a dictionary, in which each object has a key.
    package var isKeyed = false
  }

  /// The properties that are included in full, or those that are excluded in full.
  package private(set) var names: Set<String>
  /// Whether all properties except `names` are included.
  package private(set) var isExclusion: Bool
  /// The properties that are included only in part. `names` contains none of them.
  package private(set) var parts: [String: Part] = [:]

  /// Returns the set of all properties except the given ones.
  package static func allExcept(_ names: Set<String>) -> FieldAccess {
    FieldAccess(names: names, isExclusion: true)
  }

  /// Returns the set of the given properties only.
  package static func only(_ names: Set<String>) -> FieldAccess {
    FieldAccess(names: names, isExclusion: false)
  }

  private init(names: Set<String>, isExclusion: Bool) {
    self.names = names
    self.isExclusion = isExclusion
  }

  package static let all = FieldAccess.allExcept([])
  package static let none = FieldAccess.only([])

  /// Returns whether a property is included, at least in part.
  package func includes(_ name: String) -> Bool { parts[name] != nil || includesWholly(name) }

  /// Returns whether a property is included in full.
  package func includesWholly(_ name: String) -> Bool {
    parts[name] == nil && names.contains(name) != isExclusion
  }

  /// Returns the access within a property that holds embedded objects.
  package func access(to name: String) -> FieldAccess {
    parts[name]?.fields ?? (includesWholly(name) ? .all : .none)
  }

  /// Includes exactly the given part of a property.
  package mutating func set(_ name: String, to fields: FieldAccess, isKeyed: Bool = false) {
    parts[name] = nil
    let isWhole = fields == .all
    if isWhole || fields == .none {
      if isWhole != isExclusion { names.insert(name) } else { names.remove(name) }
    } else {
      names.remove(name)
      parts[name] = Part(fields: fields, isKeyed: isKeyed)
    }
  }

  // MARK: Sets

  /// Returns the properties that are in either set.
  package func union(_ other: FieldAccess) -> FieldAccess {
    combined(with: other, isExclusion: isExclusion || other.isExclusion) { $0.union($1) }
  }

  /// Returns the properties that are in both sets.
  package func intersection(_ other: FieldAccess) -> FieldAccess {
    combined(with: other, isExclusion: isExclusion && other.isExclusion) { $0.intersection($1) }
  }

  private func combined(
    with other: FieldAccess,
    isExclusion: Bool,
    _ combine: (FieldAccess, FieldAccess) -> FieldAccess
  ) -> FieldAccess {
    var result = FieldAccess(names: [], isExclusion: isExclusion)
    for name in knownNames.union(other.knownNames) {
      let isKeyed = (parts[name] ?? other.parts[name])?.isKeyed ?? false
      result.set(name, to: combine(access(to: name), other.access(to: name)), isKeyed: isKeyed)
    }
    return result
  }

  /// Returns whether this set is contained in the other one, whatever properties the class has.
  package func isSubset(of other: FieldAccess) -> Bool {
    guard !isExclusion || other.isExclusion else { return false }
    return knownNames.union(other.knownNames).allSatisfy {
      access(to: $0).isSubset(of: other.access(to: $0))
    }
  }

  private var knownNames: Set<String> { names.union(parts.keys) }

  // MARK: Schema

  /// Returns the set adapted to a class: only embedded objects have parts, so the part of any other property grants
  /// nothing.
  func fitted(to classSchema: ClassSchema, _ schema: Schema) -> FieldAccess {
    var result = self
    for (name, part) in parts {
      guard let property = classSchema.property(named: name),
        let target = schema.embeddedClass(of: property)
      else {
        result.set(name, to: .none)
        continue
      }
      let fields = part.fields.fitted(to: target, schema)
      result.set(
        name,
        to: fields.hasAllProperties(of: target) ? .all : fields,
        isKeyed: property.collection == .dictionary
      )
    }
    return result
  }

  private func hasAllProperties(of classSchema: ClassSchema) -> Bool {
    !classSchema.properties.isEmpty && classSchema.properties.allSatisfy { includesWholly($0.name) }
  }

  /// Returns the names that a class does not have. Nested names contain dots.
  package func unknownNames(in classSchema: ClassSchema, _ schema: Schema) -> [String] {
    knownNames.sorted().flatMap { name -> [String] in
      guard let property = classSchema.property(named: name) else { return [name] }
      guard let part = parts[name], let target = schema.embeddedClass(of: property) else { return [] }
      return part.fields.unknownNames(in: target, schema).map { "\(name).\($0)" }
    }
  }

  /// Returns the properties that are included in part although they hold no embedded objects. Nested names contain
  /// dots.
  package func misplacedParts(in classSchema: ClassSchema, _ schema: Schema) -> [String] {
    parts.sorted { $0.key < $1.key }.flatMap { name, part -> [String] in
      guard let property = classSchema.property(named: name) else { return [] }
      guard let target = schema.embeddedClass(of: property) else { return [name] }
      return part.fields.misplacedParts(in: target, schema).map { "\(name).\($0)" }
    }
  }
}

extension Schema {
  /// Returns the class of the embedded objects in a property; nil if it holds anything else.
  package func embeddedClass(of property: PropertySchema) -> ClassSchema? {
    guard property.type == .link, let target = property.linkTarget.flatMap({ self[$0] }),
      target.kind == .embedded
    else { return nil }
    return target
  }
}
