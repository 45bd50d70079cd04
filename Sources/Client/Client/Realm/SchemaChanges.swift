// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// The differences between the classes of a file and those that a program declares, in the words of Realm's messages.
struct SchemaChanges {
  /// The changes that need a migration.
  private(set) var migrations: [String] = []
  /// Those of them without which a program can read the file.
  private(set) var obstacles: [String] = []

  init(from stored: Schema, to declared: Schema) {
    for declared in declared.classes.sorted(by: { $0.name < $1.name }) {
      guard let stored = stored[declared.name] else { continue }
      compare(stored, declared)
    }
  }

  private mutating func compare(_ stored: ClassSchema, _ declared: ClassSchema) {
    if stored.kind != declared.kind {
      migrations.append(
        "Class '\(stored.name)' has been changed from \(stored.kind.word) to \(declared.kind.word)."
      )
    }
    for property in stored.allProperties {
      let place = "Property '\(stored.name).\(property.name)'"
      guard let declared = declared.property(named: property.name) else {
        migrations.append("\(place) has been removed.")
        continue
      }
      if let change = property.change(to: declared) { add("\(place) \(change)") }
    }
    for property in declared.allProperties where stored.property(named: property.name) == nil {
      add("Property '\(stored.name).\(property.name)' has been added.")
    }
    if let change = stored.keyChange(to: declared) {
      add("Primary Key for class '\(stored.name)' \(change)")
    }
  }

  private mutating func add(_ change: String) {
    migrations.append(change)
    obstacles.append(change)
  }

  /// - Throws: `CoreError` SCHEMA_MISMATCH.
  func requireNoMigration() throws {
    try Self.require(migrations, "Migration is required due to the following errors:")
  }

  /// - Throws: `CoreError` SCHEMA_MISMATCH.
  func requireReadable() throws {
    try Self.require(obstacles, "The following changes cannot be made in read-only schema mode:")
  }

  private static func require(_ changes: [String], _ title: String) throws {
    guard !changes.isEmpty else { return }
    throw CoreError(.schemaMismatch, ([title] + changes).joined(separator: "\n- "))
  }
}

extension ClassSchema {
  /// The properties including the primary key.
  fileprivate var allProperties: [PropertySchema] { [primaryKey].compactMap(\.self) + properties }

  fileprivate func keyChange(to declared: ClassSchema) -> String? {
    switch (primaryKey?.name, declared.primaryKey?.name) {
    case (nil, nil): nil
    case (nil, _): "has been added."
    case (_, nil): "has been removed."
    case (let old?, let new?): old == new ? nil : "has changed from '\(old)' to '\(new)'."
    }
  }
}

extension PropertySchema {
  fileprivate func change(to declared: PropertySchema) -> String? {
    if type != declared.type || collection != declared.collection || linkTarget != declared.linkTarget {
      return "has been changed from '\(typeName)' to '\(declared.typeName)'."
    }
    guard isNullable != declared.isNullable else { return nil }
    return "has been made \(declared.isNullable ? "optional" : "required")."
  }
}

extension ClassKind {
  fileprivate var word: String {
    switch self {
    case .embedded: "Embedded"
    case .asymmetric: "TopLevelAsymmetric"
    default: "TopLevel"
    }
  }
}
