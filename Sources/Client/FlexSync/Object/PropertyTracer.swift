// SPDX-License-Identifier: Apache-2.0

/// Records which properties a key path reads, from link to link.
@usableFromInline
final class PropertyTracer {
  /// A property that was read, and of which object.
  struct Read {
    let owner: ObjectBase
    let ordinal: Int
  }

  private(set) var reads: [Read] = []

  /// Records that a property of a probe object is read.
  func record(_ owner: ObjectBase, _ ordinal: Int) {
    // A computed property may read several properties of an object; the last one counts.
    if let index = reads.firstIndex(where: { $0.owner === owner }) { reads.removeSubrange(index...) }
    reads.append(Read(owner: owner, ordinal: ordinal))
  }

  /// Records that a property is read, and returns what it reads as: for a link, an object that records as well.
  @usableFromInline
  func read<Value: _Persistable>(_ owner: ObjectBase, _ ordinal: Int32) -> Value {
    record(owner, Int(ordinal))
    let link = (Value.self as? any TracedLink.Type)?.traced(by: self) as? Value
    return link ?? Value._defaultValue()
  }

  func removeAll() { reads = [] }
}

/// A type through which a key path goes on to properties of other objects.
protocol TracedLink {
  static func traced(by tracer: PropertyTracer) -> Self
}

extension Optional: TracedLink where Wrapped: ObjectBase {
  static func traced(by tracer: PropertyTracer) -> Wrapped? {
    let probe = Wrapped()
    probe._tracer = tracer
    DiscoveredClass.of(Wrapped.self).number(probe)
    return probe
  }
}

/// One property on a key path.
struct PropertyStep {
  let discovered: DiscoveredClass
  let ordinal: Int

  /// The Swift name.
  var name: String {
    let properties = discovered.properties
    return ordinal < properties.count
      ? properties[ordinal].name : discovered.backlinks[ordinal - properties.count].name
  }

  /// The name in the schema; for linking objects, their name in queries.
  var columnName: String {
    let properties = discovered.properties
    guard ordinal >= properties.count else { return properties[ordinal].columnName }
    let backlink = discovered.backlinks[ordinal - properties.count]
    let origin = DiscoveredClass.of(backlink.originClass)
    let property = origin.properties[origin.requiredOrdinal(named: backlink.originProperty)]
    return "@links.\(origin.name).\(property.columnName)"
  }
}

extension DiscoveredClass {
  /// The position of the property that a key path of this class refers to.
  func ordinal(of keyPath: AnyKeyPath) -> Int { step(of: keyPath).ordinal }

  /// The Swift name of the property that a key path of this class refers to.
  func name(of keyPath: AnyKeyPath) -> String { step(of: keyPath).name }

  /// The schema's name of the property that a key path of this class refers to.
  func columnName(of keyPath: AnyKeyPath) -> String { step(of: keyPath).columnName }

  /// The schema's names of the properties on a key path of this class, as in queries: "owner.name".
  func path(of keyPath: AnyKeyPath) -> String {
    requiredSteps(of: keyPath).map(\.columnName).joined(separator: ".")
  }

  private func step(of keyPath: AnyKeyPath) -> PropertyStep { requiredSteps(of: keyPath)[0] }

  private func requiredSteps(of keyPath: AnyKeyPath) -> [PropertyStep] {
    let steps = steps(of: keyPath)
    Misuse.require(!steps.isEmpty, "\(keyPath) is not a @Persisted property of \(name)")
    return steps
  }
}
