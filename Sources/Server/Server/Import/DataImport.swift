// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncConfiguration
import FlexSyncDocuments
import FlexSyncEngine
import FlexSyncJSON
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncServerSupport
import FlexSyncStore
import Logging

import enum FlexSyncQuery.SetElements

/// Imports documents of a MongoDB collection into an app, as changes of the server: they reach connected clients as
/// well as those that are offline. A server may be running on the same data.
public struct DataImport {
  /// The number of documents per transaction.
  private static let batchCount = 500

  private let app: AppConfiguration
  private let dataFolder: String
  /// Nil if there is no data yet.
  private let presentStore: ServerStore?
  private let isDryRun: Bool
  private let clock: WallClock
  private let logger: Logger

  /// Opens the data of an app, if there are any.
  ///
  /// - Parameter isDryRun: Whether to check the input without writing anything.
  /// - Throws: The same errors as `Server.init`.
  public init(
    appDirectory: String,
    dataFolder: String,
    isDryRun: Bool = false,
    clock: WallClock = .system,
    logger: Logger
  ) throws {
    app = try AppDirectory.load(appDirectory)
    presentStore = try DataFolder.storeIfPresent(in: dataFolder, appID: app.appID, logger: logger)
    self.dataFolder = dataFolder
    self.isDryRun = isDryRun
    self.clock = clock
    self.logger = logger
  }

  /// Returns the store to write to. Must not be called before the input has been checked, because an import that fails
  /// must change nothing.
  private func storeForWriting() throws -> ServerStore {
    try presentStore ?? DataFolder(dataFolder, logger: logger).openStore(appID: app.appID)
  }

  /// Imports a file. A document whose `_id` exists replaces the object. If a document cannot be imported and there is
  /// no `skipFile`, nothing is imported.
  ///
  /// - Parameters:
  ///   - file: Extended JSON, one document per line or an array of documents.
  ///   - collection: The name of the collection or class, or the collection of custom user data, synced or not.
  ///   - skipFile: Receives the documents that cannot be imported; nil if a single one prevents the entire import.
  ///   - onRefusals: Called with the documents that could not be imported.
  /// - Throws: An error that names file and line.
  public func run(
    file: String,
    collection: String,
    skipFile: String? = nil,
    onRefusals: (Refusals) -> Void = { _ in }
  ) throws -> ImportSummary {
    do {
      let documents = try DocumentFile(path: file)
      let refusals = try Refusals(file: skipFile, isDryRun: isDryRun)
      let target = try target(of: collection)
      var summary = try check(documents, target, refusals)
      summary.isPrevented = isDryRun && skipFile == nil && refusals.count > 0
      try refusals.report(
        to: onRefusals,
        isDryRun: isDryRun,
        orThrow:
          "cannot import \(file): \(refusals.count) documents are invalid, so nothing was imported. Correct "
          + "them, or skip them with --skip-bad FILE"
      )
      if !isDryRun { try target.take(documents, into: storeForWriting()) }
      return summary
    } catch let error as DocumentError {
      throw ServerError("cannot import \(file): \(error)")
    }
  }

  private func target(of collection: String) throws -> any ImportTarget {
    if let data = app.customUserData, data.className == nil, data.collection == collection {
      return CustomDataImport(configuration: data, presentStore: presentStore, clock: clock)
    }
    let reader = try DocumentReader(
      className: app.classByCollection[collection] ?? collection,
      schema: AppSchema.combined(presentStore?.objects.schema ?? Schema(), with: app),
      classByCollection: app.classByCollection
    )
    return ObjectImport(importer: self, reader: reader)
  }

  private func check(_ documents: DocumentFile, _ target: any ImportTarget, _ refusals: Refusals) throws
    -> ImportSummary
  {
    var summary = ImportSummary()
    var unknown: Set<String> = []
    var places: [[UInt8]: String] = [:]
    try documents.forEachEntry { entry in
      do {
        let document = try entry.json.get()
        let isNew = try target.isNew(document)
        let identity = try target.identity(document)
        if let place = places[identity] {
          throw DocumentError(description: "describes the same as \(place); keep only one of the two")
        }
        places[identity] = entry.place
        summary.documentCount += 1
        if isNew { summary.newCount += 1 }
        unknown.formUnion(target.unknownFields(document))
      } catch let error as DocumentError {
        try refusals.add(place: entry.place, reason: error.description, content: entry.text)
      }
    }
    try refusals.finish()
    summary.refusedCount = refusals.count
    for field in unknown.sorted() {
      logger.warning("field \"\(field)\" is not in the schema and is not imported")
    }
    return summary
  }

  /// The import of the documents of a class.
  private struct ObjectImport: ImportTarget {
    let importer: DataImport
    let reader: DocumentReader

    func identity(_ document: JSON) throws -> [UInt8] {
      KeyCoding.encode(try reader.object(document).reference.key)
    }

    func isNew(_ document: JSON) throws -> Bool {
      let object = try reader.object(document).reference
      guard let store = importer.presentStore, let table = try store.objects.table(named: object.table) else {
        return true
      }
      return try store.objects.row(of: object.key, in: table) == nil
    }

    func unknownFields(_ document: JSON) -> [String] { reader.unknownFields(document) }

    func take(_ documents: DocumentFile, into store: ServerStore) throws {
      let schema = try AppSchema(app: importer.app, store: store)
      var batch: [ImportedObject] = []
      var seen: Set<[UInt8]> = []
      try documents.forEachEntry { entry in
        guard let json = try? entry.json.get(), let object = try? reader.object(json) else { return }
        guard seen.insert(KeyCoding.encode(object.reference.key)).inserted else { return }
        batch.append(object)
        guard batch.count == DataImport.batchCount else { return }
        try importer.integrate(batch, schema, store)
        batch = []
      }
      try importer.integrate(batch, schema, store)
    }
  }

  private func integrate(_ batch: [ImportedObject], _ schema: AppSchema, _ store: ServerStore) throws {
    guard !batch.isEmpty else { return }
    try store.write {
      try schema.refreshImages()
      let history = try CommittedHistory(store: store)
      let integrator = Integrator(schema: schema, history: history)
      let stamp = OriginStamp(timestamp: clock.wireTimestamp, fileIdent: ClientFileRecord.serverIdent)
      let instructions = try batch.flatMap { try self.instructions($0, store) }
      _ = try integrator.integrate(instructions, stamp: stamp, judge: nil)
    }
  }

  /// Returns the instructions that turn the current object into that of the document.
  private func instructions(_ imported: ImportedObject, _ store: ServerStore) throws -> [Instruction] {
    let object = imported.reference
    let table = try store.objects.table(named: object.table)
    let row = try table.flatMap { try store.objects.row(of: object.key, in: $0) }
    var result: [Instruction] = row == nil ? [.createObject(object)] : []
    for (property, content) in imported.contents {
      let path = PropertyPath(object: object, field: property.name)
      let current: ImportedObject.Content? =
        if let table, let row, let column = table.column(named: property.name) {
          try storedContent(row: row, column, at: path, store)
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
      result += content.filling(path, property.collection)
    }
    return result
  }

  /// Returns the content of a property of a stored object.
  private func storedContent(row: Int64, _ column: Column, at path: PropertyPath, _ store: ServerStore) throws
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
}
