// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStorage
import Logging

import enum FlexSyncQuery.SetElements

/// Brings documents of a MongoDB collection into an app, as changes of the server: connected clients get them as well
/// as those that are away. A server may be running on the same data.
public struct DataImport {
  /// How many documents one transaction takes.
  private static let batchCount = 500

  private let app: AppConfiguration
  private let store: ServerStore
  private let clock: WallClock
  private let logger: Logger

  /// Opens the data of an app.
  ///
  /// - Throws: as `Server.init`.
  public init(appDirectory: String, dataFolder: String, clock: WallClock = .system, logger: Logger) throws {
    app = try AppDirectory.load(appDirectory)
    store = try DataFolder(dataFolder).openStore(appID: app.appID)
    self.clock = clock
    self.logger = logger
  }

  /// Imports a file. Documents whose `_id` is there replace the object. Nothing is imported if a document cannot be.
  ///
  /// - Parameters:
  ///   - file: Extended JSON, one document per line or an array of documents.
  ///   - collection: the name of the collection or of the class; or the collection of custom user data, synced or not.
  /// - Returns: how many documents there were.
  /// - Throws: an error that names file and line.
  public func run(file: String, collection: String) throws -> Int {
    do {
      if let data = app.customUserData, data.className == nil, data.collection == collection {
        let importer = CustomDataImport(configuration: data, store: store, clock: clock)
        return try importer.run(try DocumentFile(path: file))
      }
      let schema = try AppSchema(app: app, store: store)
      let className = app.classByCollection[collection] ?? collection
      let reader = try DocumentReader(
        className: className,
        schema: schema.schema,
        classByCollection: app.classByCollection
      )
      let documents = try DocumentFile(path: file)
      try check(documents, reader)
      return try insert(documents, reader, schema)
    } catch let error as DocumentError {
      throw ServerError("cannot import \(file): \(error)")
    }
  }

  private func check(_ documents: DocumentFile, _ reader: DocumentReader) throws {
    var unknown: Set<String> = []
    try documents.forEach { document in
      do {
        _ = try reader.object(document.json)
      } catch let error as DocumentError {
        throw DocumentError(description: "\(document.place): \(error)")
      }
      unknown.formUnion(reader.unknownFields(document.json))
    }
    for field in unknown.sorted() {
      logger.warning("field \"\(field)\" is not in the schema and is left out")
    }
  }

  private func insert(_ documents: DocumentFile, _ reader: DocumentReader, _ schema: AppSchema) throws -> Int
  {
    var batch: [ImportedObject] = []
    var count = 0
    try documents.forEach { document in
      batch.append(try reader.object(document.json))
      count += 1
      guard batch.count == DataImport.batchCount else { return }
      try integrate(batch, schema)
      batch = []
    }
    try integrate(batch, schema)
    return count
  }

  private func integrate(_ batch: [ImportedObject], _ schema: AppSchema) throws {
    guard !batch.isEmpty else { return }
    try store.write {
      try schema.refreshImages()
      let history = try CommittedHistory(store: store)
      let integrator = Integrator(store: store, schema: schema, history: history)
      let stamp = OriginStamp(timestamp: clock.wireTimestamp, fileIdent: ClientFileRecord.serverIdent)
      let instructions = try batch.flatMap(instructions)
      _ = try integrator.integrate(instructions, stamp: stamp, judge: nil)
    }
  }

  /// What turns the object as it is into the one of the document.
  private func instructions(_ imported: ImportedObject) throws -> [Instruction] {
    let object = imported.reference
    let table = try store.objects.table(named: object.table)
    let row = try table.flatMap { try store.objects.row(of: object.key, in: $0) }
    var result: [Instruction] = row == nil ? [.createObject(object)] : []
    for (property, content) in imported.contents {
      let path = PropertyPath(object: object, field: property.name)
      let current: ImportedObject.Content? =
        if let table, let row, let column = table.column(named: property.name) {
          try storedContent(row: row, column, at: path)
        } else {
          nil
        }
      guard current != content else { continue }
      switch content {
      case .value(.null) where current == nil: continue
      case .embedded where property.collection == .single:
        if current != nil { result.append(.update(path, .value(.null), .isDefault(false))) }
      case .elements, .entries, .embedded:
        if current != nil { result.append(.clear(path, property.collection)) }
      case .value(let value):
        result += Instruction.placing(value, at: path, replacing: current != nil)
        continue
      }
      result += DataImport.filling(path, with: content, property.collection)
    }
    return result
  }

  /// What a property of a stored object holds.
  private func storedContent(row: Int64, _ column: Column, at path: PropertyPath) throws
    -> ImportedObject.Content
  {
    if column.isEmbedded {
      let state = try store.objects.fullState(of: row, in: column.table)
      return .embedded(state.filter { $0.path?.field == path.field })
    }
    return switch column.schema.collection {
    case .single: .value(try store.objects.storedValue(row: row, column))
    case .list: .elements(try store.objects.listValues(row: row, column))
    case .set:
      .elements(try store.objects.setValues(row: row, column).sorted(by: SetElements.precedes))
    case .dictionary: .entries(try store.objects.dictionaryEntries(row: row, column))
    }
  }

  /// The instructions that make the content of an empty place.
  static func filling(
    _ path: PropertyPath,
    with content: ImportedObject.Content,
    _ collection: CollectionKind
  ) -> [Instruction] {
    switch content {
    case .value(let value): return Instruction.placing(value, at: path, replacing: false)
    case .embedded(let instructions): return instructions
    case .entries(let entries):
      return entries.flatMap { entry in
        Instruction.placing(entry.value, at: path.appending(.name(entry.key)), replacing: false)
      }
    case .elements(let values) where collection == .set: return values.map { .setInsert(path, .value($0)) }
    case .elements(let values):
      return values.enumerated().flatMap { index, value in
        let position = UInt32(truncatingIfNeeded: index)
        return Instruction.inserting(value, at: path.appending(.index(position)), priorSize: position)
      }
    }
  }
}
