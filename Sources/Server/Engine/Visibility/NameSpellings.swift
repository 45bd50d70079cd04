// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Finds changes that name a class or property in other characters of Unicode than its declaration.
///
/// Swift calls such names equal, for example "é" as one character and as two. For clients, which compare bytes, they
/// are different names, so that a client which received one could not apply the change.
struct NameSpellings {
  private let schema: Schema
  private let isASCII: Bool

  init(schema: Schema) {
    self.schema = schema
    isASCII = schema.classes.allSatisfy { $0.name.isASCII && $0.properties.allSatisfy(\.name.isASCII) }
  }

  /// - Parameter names: all names in the changes.
  /// - Throws: `SessionFailure` for a name that is not declared in these characters.
  func check(_ changes: [Instruction], names: [String]) throws {
    // In ASCII there is only one way to write a name.
    if isASCII, names.allSatisfy(\.isASCII) { return }
    for change in changes {
      guard let object = change.object else { continue }
      try checkClass(object.table)
      if let path = change.path { try check(path) }
      if case .link(let link)? = change.value { try checkClass(link.className) }
    }
  }

  private func checkClass(_ name: String) throws {
    guard let declared = schema[name]?.name, !UTF8Order.areEqual(declared, name) else { return }
    throw unknown("class \"\(name)\"")
  }

  private func check(_ path: PropertyPath) throws {
    var property = try declared(path.field, in: path.object.table)
    var isInCollection = false
    for step in path.path {
      guard let current = property, let target = current.linkTarget else { return }
      if current.collection != .single, !isInCollection {
        isInCollection = true
        continue
      }
      guard case .name(let name) = step else { return }
      property = try declared(name, in: target)
      isInCollection = false
    }
  }

  private func declared(_ name: String, in className: String) throws -> PropertySchema? {
    guard let property = schema[className]?.property(named: name) else { return nil }
    guard UTF8Order.areEqual(property.name, name) else { throw unknown("property \"\(className).\(name)\"") }
    return property
  }

  private func unknown(_ words: String) -> SessionFailure {
    SessionFailure.badChangeset(
      "\(words) is not declared; the name that looks the same is declared in other characters of Unicode. Use "
        + "exactly those"
    )
  }
}

extension String {
  fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

extension Instruction {
  /// The value that the instruction writes, adds to a collection or removes from it.
  fileprivate var value: Value? {
    switch self {
    case .update(_, .value(let value), _), .arrayInsert(_, .value(let value), _),
      .setInsert(_, .value(let value)),
      .setErase(_, .value(let value)):
      value
    default: nil
    }
  }
}
