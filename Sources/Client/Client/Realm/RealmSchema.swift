// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncStore

/// The classes that a realm was opened with or was given later.
final class RealmSchema {
  /// In order of declaration.
  private(set) var classes: [ClassInfo] = []
  /// The classes for the query language.
  private(set) var schema = Schema()
  @exclusivity(unchecked) private var byKey: [ClassInfo?] = []
  private var byName: [String: ClassInfo] = [:]
  private let keys: ClassKeys

  /// - Parameter path: the path of the realm file.
  /// - Throws: `CoreError` INTERNAL if a class has not been declared in the file.
  init(_ declared: [DeclaredClass], store: ObjectStore, path: String) throws {
    keys = ClassKeys(path: path)
    try attach(declared, store)
  }

  /// The declarations of all classes.
  var declared: [DeclaredClass] { classes.map(\.declared) }

  /// Adopts declarations that include the current ones.
  ///
  /// - Throws: `CoreError` INTERNAL if a class has not been declared in the file.
  func attach(_ declared: [DeclaredClass], _ store: ObjectStore) throws {
    let tables = try store.tables
    for declared in declared {
      guard let table = tables[declared.schema.name] else {
        throw CoreError(.internal, "The class '\(declared.schema.name)' is missing from the file.")
      }
      if let info = byName[table.name] {
        info.attach(table, declared)
      } else {
        try add(table, declared)
      }
    }
    schema = Schema(declared.map(\.schema))
  }

  private func add(_ table: ClassTable, _ declared: DeclaredClass) throws {
    guard let key = keys.key(ofClass: table.id) else {
      throw CoreError.unsupported("The file has too many classes; '\(table.name)' cannot be used.")
    }
    let info = ClassInfo(table, declared, key: key)
    classes.append(info)
    byName[info.name] = info
    let number = Int(table.id)
    let missing = number + 1 - byKey.count
    if missing > 0 { byKey += [ClassInfo?](repeating: nil, count: missing) }
    byKey[number] = info
  }

  /// - Throws: `CoreError` NO_SUCH_CLASS.
  @inline(__always)
  func requireClass(_ key: flx_class_key_t) throws -> ClassInfo {
    guard let number = keys.number(of: key), number < byKey.count, let info = byKey[number] else {
      throw CoreError(
        .noSuchClass,
        "The realm has no class with the key \(key). Keys differ between realms; look the class up in this one."
      )
    }
    return info
  }

  /// Returns the class of a link's target.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT for a link into another realm, NO_SUCH_CLASS.
  func requireClass(of link: flx_link_t) throws -> ClassInfo {
    guard keys.number(of: link.target_class) != nil else {
      throw CoreError.invalidArgument(
        "The link points to an object in another realm. Find or create the object in this one."
      )
    }
    return try requireClass(link.target_class)
  }

  /// - Throws: `CoreError` NO_SUCH_CLASS.
  func requireClass(named name: String) throws -> ClassInfo {
    guard let info = byName[name] else {
      throw CoreError(
        .noSuchClass,
        "The realm has no class '\(name)'. Declare it when opening the realm."
      )
    }
    return info
  }

  subscript(name: String) -> ClassInfo? { byName[name] }
}

extension [DeclaredClass] {
  /// Returns these declarations merged with others: new classes, and new properties of existing classes.
  func merged(with others: [DeclaredClass]) -> [DeclaredClass] {
    var result = self
    for other in others {
      if let index = result.firstIndex(where: { $0.schema.name == other.schema.name }) {
        result[index].add(other)
      } else {
        result.append(other)
      }
    }
    return result
  }
}

extension DeclaredClass {
  fileprivate mutating func add(_ other: DeclaredClass) {
    for name in other.propertyNames where !propertyNames.contains(name) {
      propertyNames.append(name)
      if let property = other.schema.property(named: name) { schema.properties.append(property) }
    }
  }
}
