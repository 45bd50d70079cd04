// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A set of properties of a class, by name; of embedded objects also only some properties. The primary key belongs to
/// every one: without it there is no object.
package struct FieldAccess: Hashable, Sendable {
  /// The part of the embedded objects in a property.
  package struct Part: Hashable, Sendable {
    package var fields: FieldAccess
    /// Whether the property is a dictionary, so that a key leads to each of the objects.
    package var isKeyed = false
  }

  /// The properties that are wholly in it, or those that are wholly not.
  package private(set) var names: Set<String>
  /// Whether all properties are in it but the named ones.
  package private(set) var isExclusion: Bool
  /// The properties of which only a part is in it. None of them is named.
  package private(set) var parts: [String: Part] = [:]

  /// All but these.
  package static func allExcept(_ names: Set<String>) -> FieldAccess {
    FieldAccess(names: names, isExclusion: true)
  }

  /// Only these.
  package static func only(_ names: Set<String>) -> FieldAccess {
    FieldAccess(names: names, isExclusion: false)
  }

  private init(names: Set<String>, isExclusion: Bool) {
    self.names = names
    self.isExclusion = isExclusion
  }

  package static let all = FieldAccess.allExcept([])
  package static let none = FieldAccess.only([])

  /// Whether a property is in it, at least a part of it.
  package func includes(_ name: String) -> Bool { parts[name] != nil || includesWholly(name) }

  /// Whether all of a property is in it.
  package func includesWholly(_ name: String) -> Bool {
    parts[name] == nil && names.contains(name) != isExclusion
  }

  /// What is in it of a property that holds embedded objects.
  package func access(to name: String) -> FieldAccess {
    parts[name]?.fields ?? (includesWholly(name) ? .all : .none)
  }

  /// Puts a part of a property in, and nothing else of it.
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

  /// What is in one of the two.
  package func union(_ other: FieldAccess) -> FieldAccess {
    combined(with: other, isExclusion: isExclusion || other.isExclusion) { $0.union($1) }
  }

  /// What is in both.
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

  /// Whether all that is in it is in the other one, whatever properties the class has.
  package func isSubset(of other: FieldAccess) -> Bool {
    guard !isExclusion || other.isExclusion else { return false }
    return knownNames.union(other.knownNames).allSatisfy {
      access(to: $0).isSubset(of: other.access(to: $0))
    }
  }

  private var knownNames: Set<String> { names.union(parts.keys) }

  // MARK: Schema

  /// The same as far as the class has such properties: only embedded objects have parts. What the rules say of the parts
  /// of anything else grants nothing.
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

  /// The properties of which it has parts, although they hold no embedded objects; inner ones with dots.
  package func misplacedParts(in classSchema: ClassSchema, _ schema: Schema) -> [String] {
    parts.sorted { $0.key < $1.key }.flatMap { name, part -> [String] in
      guard let property = classSchema.property(named: name) else { return [] }
      guard let target = schema.embeddedClass(of: property) else { return [name] }
      return part.fields.misplacedParts(in: target, schema).map { "\(name).\($0)" }
    }
  }
}

extension Schema {
  /// The class of the embedded objects that a property holds; nil if it holds something else.
  package func embeddedClass(of property: PropertySchema) -> ClassSchema? {
    guard property.type == .link, let target = property.linkTarget.flatMap({ self[$0] }),
      target.kind == .embedded
    else { return nil }
    return target
  }
}
