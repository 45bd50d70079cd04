// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncStorage

/// The classes that one realm was opened with.
final class RealmSchema {
  /// In the order of their declaration.
  let classes: [ClassInfo]
  /// The classes for the query language.
  let schema: Schema
  private let byKey: [ClassInfo?]
  private let byName: [String: ClassInfo]

  /// - Throws: `CoreError` INTERNAL if a class was not declared in the file before.
  init(_ declared: [DeclaredClass], store: ObjectStore) throws {
    let tables = try store.tables
    classes = try declared.map { declared in
      guard let table = tables[declared.schema.name] else {
        throw CoreError(.FLX_STATUS_INTERNAL, "The class '\(declared.schema.name)' is missing in the file.")
      }
      return ClassInfo(table, declared)
    }
    schema = Schema(declared.map(\.schema))
    byName = Dictionary(uniqueKeysWithValues: classes.map { ($0.name, $0) })
    var byKey = [ClassInfo?](repeating: nil, count: Int(classes.map(\.key).max() ?? 0) + 1)
    for info in classes { byKey[Int(info.key)] = info }
    self.byKey = byKey
  }

  /// - Throws: `CoreError` NO_SUCH_CLASS.
  @inline(__always)
  func requireClass(_ key: flx_class_key_t) throws -> ClassInfo {
    guard Int(key) < byKey.count, let info = byKey[Int(key)] else {
      throw CoreError(.FLX_STATUS_NO_SUCH_CLASS, "The realm has no class with the key \(key).")
    }
    return info
  }

  /// - Throws: `CoreError` NO_SUCH_CLASS.
  func requireClass(named name: String) throws -> ClassInfo {
    guard let info = byName[name] else {
      throw CoreError(
        .FLX_STATUS_NO_SUCH_CLASS,
        "The realm has no class '\(name)'. Declare it when opening the realm."
      )
    }
    return info
  }

  subscript(name: String) -> ClassInfo? { byName[name] }
}
