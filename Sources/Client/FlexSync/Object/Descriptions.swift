// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The number of levels of objects and collections that a description shows.
let maximumDescriptionDepth = 5

/// The number of elements that a description shows of each collection.
private let maximumElementCount = 100

/// The number of bytes that a description shows of each value.
private let maximumByteCount = 24

/// A value whose description shows the objects that it leads to, to some depth.
protocol DescribedToDepth {
  func description(toDepth depth: Int) -> String
}

/// The description of a property's value or of an element.
func description(of value: Any, toDepth depth: Int) -> String {
  switch plainValue(value) {
  case nil: "(null)"
  case let nested as any DescribedToDepth:
    depth == 0 ? "<Maximum depth exceeded>" : nested.description(toDepth: depth)
  case let bytes as Data: description(of: bytes)
  case let flag as Bool: flag ? "1" : "0"
  case let value?: "\(value)"
  }
}

private func description(of bytes: Data) -> String {
  let digits = bytes.prefix(maximumByteCount).map { byte in
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0\(text)" : text
  }
  return "<\(digits.joined()) — \(bytes.count) total bytes>"
}

// MARK: - Objects

extension ObjectBase: CustomStringConvertible, DescribedToDepth {
  /// The class and its properties, with the objects that they link to, five levels deep.
  public var description: String { description(toDepth: maximumDescriptionDepth) }

  final func description(toDepth depth: Int) -> String {
    guard !isInvalidated else { return "[invalid object]" }
    let discovered = discovered
    let lines = discovered.properties.indices.map { ordinal in
      let value = FlexSync.description(of: value(of: ordinal, in: discovered) as Any, toDepth: depth - 1)
      return "\t\(discovered.properties[ordinal].name) = \(indented(value));\n"
    }
    return "\(discovered.nameInDescriptions) {\n\(lines.joined())}"
  }
}

// MARK: - Collections

extension RealmCollection {
  func description(toDepth depth: Int) -> String {
    let elements = prefix(maximumElementCount).enumerated().map { index, element in
      "\t[\(index)] \(indented(FlexSync.description(of: element, toDepth: depth - 1)))"
    }
    return described("\(kindName(of: Self.self))<\(elementName(Element.self))>", _identity, elements, count)
  }
}

extension List: DescribedToDepth {}
extension MutableSet: DescribedToDepth {}
extension LinkingObjects: DescribedToDepth {}
extension Results: DescribedToDepth {}
extension AnyRealmCollection: DescribedToDepth {}

extension Map: DescribedToDepth {
  /// The entries, with the objects that they lead to, five levels deep.
  public var description: String { description(toDepth: maximumDescriptionDepth) }

  func description(toDepth depth: Int) -> String {
    let entries = prefix(maximumElementCount).map { entry in
      let value = FlexSync.description(of: entry.value, toDepth: depth - 1)
      return indented("[\(entry.key)]: \(value)")
    }
    return described("Map<string, \(elementName(Value.self))>", self, entries, count)
  }
}

private func described(_ type: String, _ identity: AnyObject?, _ elements: [String], _ count: Int) -> String {
  let address = identity.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
  let skipped = count - elements.count
  let rest = skipped > 0 ? "\n\t... \(skipped) objects skipped." : ""
  return "\(type) <0x\(String(address, radix: 16))> (\n\(elements.joined(separator: ",\n"))\(rest)\n)"
}

/// The name of a collection type without its parameters.
private func kindName(of type: Any.Type) -> Substring { "\(type)".prefix { $0 != "<" } }

private func elementName<Element: RealmCollectionValue>(_ type: Element.Type) -> String {
  Element._rowClass.map { DiscoveredClass.of($0).nameInDescriptions } ?? Element._propertyType.publicType.name
}

extension DiscoveredClass {
  /// The name of the Swift class; of dynamic objects, the name in the schema.
  fileprivate var nameInDescriptions: String {
    type == DynamicObject.self ? name : String(describing: type)
  }
}
