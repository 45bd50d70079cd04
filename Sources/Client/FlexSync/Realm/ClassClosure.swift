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
}
