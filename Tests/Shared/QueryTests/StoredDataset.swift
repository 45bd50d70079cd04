// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncTestSupport

/// A data set in a real store, written by instructions as a download writes it.
final class StoredDataset {
  let store: ObjectStore
  private let dataset: Dataset
  /// What the storage does not know yet, as "Class.property" or "Class".
  private(set) var missing: Set<String> = []

  init(_ dataset: Dataset) throws {
    self.dataset = dataset
    store = try ObjectStore.inMemory()
    try store.database.beginWrite()
    try declareClasses()
    for classSchema in dataset.schema.classes where classSchema.primaryKey != nil {
      for object in dataset.objects[classSchema.name] ?? [] { try insert(object) }
    }
    try store.database.commit()
  }

  /// The numbers of the objects that a query finds, in its order; nil if it needs what is missing.
  func rows(_ query: BoundQuery) throws -> [Int]? {
    guard isStored(query) else { return nil }
    return try store.rowQuery(query).rows().map { Int($0) }
  }

  /// The numbers of the objects in the order in which one statement finds and reads them; nil if the query needs what
  /// is missing.
  func scannedRows(_ query: BoundQuery) throws -> [Int]? {
    guard isStored(query), let table = try store.table(named: query.className) else { return nil }
    let scan = try store.rowQuery(query).scan(of: table.columns.filter(\.isSingle))
    try scan.restart()
    var rows: [Int] = []
    while try scan.next() { rows.append(Int(scan.row)) }
    return rows
  }

  /// The keys of the objects that meet a condition, in their order; links count as what is stored.
  func scan(_ predicate: Predicate, on className: String) throws -> [PrimaryKey] {
    guard let table = try store.table(named: className) else { return [] }
    let scan = try ViewScan(store, table: table, matching: predicate, excluding: .never)
    var keys: [PrimaryKey] = []
    while let (_, key) = try scan.nextRow() { keys.append(key) }
    return keys
  }

  /// How SQLite goes about a query.
  func explain(_ query: BoundQuery) throws -> QueryExplanation { try store.rowQuery(query).explain() }

  /// The condition in SQL.
  func condition(_ query: BoundQuery) throws -> SQLFragment {
    SQLCompiler.condition(query.predicate, on: query.className, layout: try store.layout)
  }

  private func isStored(_ query: BoundQuery) -> Bool {
    query.places.allSatisfy { !missing.contains($0) }
  }

  // MARK: Writing

  private func declareClasses() throws {
    let schema = dataset.schema
    for classSchema in schema.classes {
      try attempt(classSchema.name) { try store.declareClass(classSchema) }
    }
    for classSchema in schema.classes where !missing.contains(classSchema.name) {
      for property in classSchema.properties {
        let name = "\(classSchema.name).\(property.name)"
        if let target = property.linkTarget, missing.contains(target) {
          missing.insert(name)
        } else {
          try attempt(name) { try store.declareProperty(property, of: classSchema.name) }
        }
      }
    }
  }

  private func attempt(_ name: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StorageError where error.kind == .unsupportedSchema {
      missing.insert(name)
    }
  }

  private func insert(_ object: StoredObject) throws {
    let reference = ObjectReference(table: object.className, key: object.key)
    try store.apply(.createObject(reference))
    try insertFields(of: object) { FlexSyncChangeset.PropertyPath(object: reference, field: $0) }
  }

  private func insertFields(of object: StoredObject, _ path: (String) -> FlexSyncChangeset.PropertyPath)
    throws
  {
    for property in dataset.schema[object.className]?.properties ?? []
    where !missing.contains("\(object.className).\(property.name)") {
      switch object.image.fields[property.name] {
      // Some vectors do not say that a link may be null.
      case .value(.null): break
      case .value(let value): try insert(value, at: path(property.name), .isDefault(false))
      case .list(let values): try insert(values, at: path(property.name), property)
      case .dictionary(let entries):
        for entry in entries {
          try insert(entry.value, at: path(property.name).appending(.name(entry.key)), .isDefault(false))
        }
      case nil: break
      }
    }
  }

  private func insert(_ value: Value, at path: FlexSyncChangeset.PropertyPath, _ detail: UpdateDetail) throws
  {
    if let object = embeddedObject(value) {
      try store.apply(.update(path, .object, detail))
      return try insertFields(of: object) { path.appending(.name($0)) }
    }
    switch value {
    case .list(let elements):
      try store.apply(.update(path, .list, detail))
      for (index, element) in elements.enumerated() {
        try insert(element, at: path, index: index)
      }
    case .dictionary(let entries):
      try store.apply(.update(path, .dictionary, detail))
      for entry in entries {
        try insert(entry.value, at: path.appending(.name(entry.key)), .isDefault(false))
      }
    default: try store.apply(.update(path, .value(value), detail))
    }
  }

  /// Inserts an element of a list.
  private func insert(_ value: Value, at path: FlexSyncChangeset.PropertyPath, index: Int) throws {
    let place = path.appending(.index(UInt32(index)))
    let size = UInt32(index)
    if let object = embeddedObject(value) {
      try store.apply(.arrayInsert(place, .object, priorSize: size))
      return try insertFields(of: object) { place.appending(.name($0)) }
    }
    switch value {
    case .list(let elements):
      try store.apply(.arrayInsert(place, .list, priorSize: size))
      for (index, element) in elements.enumerated() { try insert(element, at: place, index: index) }
    case .dictionary(let entries):
      try store.apply(.arrayInsert(place, .dictionary, priorSize: size))
      for entry in entries {
        try insert(entry.value, at: place.appending(.name(entry.key)), .isDefault(false))
      }
    default: try store.apply(.arrayInsert(place, .value(value), priorSize: size))
    }
  }

  private func insert(
    _ values: [Value],
    at path: FlexSyncChangeset.PropertyPath,
    _ property: PropertySchema
  ) throws {
    for (index, value) in values.enumerated() {
      if property.collection == .list {
        try insert(value, at: path, index: index)
      } else {
        try store.apply(.setInsert(path, .value(value)))
      }
    }
  }

  private func embeddedObject(_ value: Value) -> StoredObject? {
    guard case .link(let link) = value, dataset.schema[link.className]?.primaryKey == nil else { return nil }
    return dataset.object(at: link)
  }
}

extension FlexSyncChangeset.PropertyPath {
  fileprivate func appending(_ element: PathElement) -> FlexSyncChangeset.PropertyPath {
    var path = self
    path.path.append(element)
    return path
  }
}

extension BoundQuery {
  /// The classes and properties that the query looks at, as "Class" and "Class.property".
  fileprivate var places: Set<String> {
    var paths: [FlexSyncQuery.PropertyPath] = []
    predicate.forEachPath { paths.append($0) }
    for step in options.steps {
      switch step {
      case .sort(let keys): paths += keys.map(\.path)
      case .distinct(let distinct): paths += distinct
      case .limit: break
      }
    }
    var places: Set<String> = [className]
    for path in paths {
      places.insert("\(path.owner).\(path.property.name)")
      for step in path.links { places.insert("\(step.owner).\(step.property.name)") }
    }
    return places
  }
}
