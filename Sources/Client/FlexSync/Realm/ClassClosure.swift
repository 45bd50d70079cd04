// SPDX-License-Identifier: Apache-2.0

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

  /// Returns the classes in groups in which each name occurs once. Several Swift classes may have one name in the schema.
  static func groups(of classes: [DiscoveredClass]) -> [[DiscoveredClass]] {
    var groups: [[DiscoveredClass]] = []
    for discovered in classes {
      if let index = groups.firstIndex(where: { $0.last?.name != discovered.name }) {
        groups[index].append(discovered)
      } else {
        groups.append([discovered])
      }
    }
    return groups
  }
}
