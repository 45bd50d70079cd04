// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncQuery
import FlexSyncStorage

/// The classes of an app as they are served: what is stored, what is queryable, what clients have been told.
final class AppSchema {
  private let app: AppConfiguration
  private let store: ServerStore
  private(set) var schema = Schema()
  private(set) var declarationCount = 0
  private var layouts: [String: ImageLayout] = [:]
  private var validator = SyncQueryValidator(schema: Schema(), policy: SyncQueryPolicy(queryableFields: [:]))
  private var views: [String: View] = [:]

  /// Declares the classes of the app directory in the store.
  ///
  /// - Throws: `StorageError` if they disagree with what is stored, or cannot be stored.
  init(app: AppConfiguration, store: ServerStore) throws {
    self.app = app
    self.store = store
    try store.write { try extend(with: app.schema) }
    try reload()
  }

  /// Reads the schema from the store, for example after a transaction was taken back.
  func reload() throws {
    schema = try store.objects.schema
    declarationCount = try store.declarationCount()
    rebuild()
  }

  private func rebuild() {
    var queryable: [String: Set<String>] = [:]
    layouts = [:]
    views = [:]
    for classSchema in schema.classes {
      let fields = queryableFields(of: classSchema)
      queryable[classSchema.name] = fields
      layouts[classSchema.name] = ImageLayout(fields: fields.sorted())
    }
    var indexed: [String: String] = [:]
    if let field = app.sync.indexedQueryableField {
      for classSchema in schema.classes where classSchema.property(named: field) != nil {
        indexed[classSchema.name] = field
      }
    }
    let policy = SyncQueryPolicy(queryableFields: queryable, indexedFields: indexed)
    validator = SyncQueryValidator(schema: schema, policy: policy)
  }

  /// In development mode every field is queryable that can be, so that a new subscription needs no configuration.
  private func queryableFields(of classSchema: ClassSchema) -> Set<String> {
    guard app.sync.isDevelopmentMode else { return app.queryableFields(of: classSchema) }
    let fields = classSchema.properties.filter { $0.type != .link && $0.collection != .dictionary }
    return Set(fields.map(\.name) + [classSchema.primaryKey?.name].compactMap { $0 })
  }

  /// The names of the queryable fields by class.
  var queryableFields: [String: [String]] { layouts.mapValues(\.fields) }

  // MARK: Growing

  /// Adds what is new in `other` to the store. Inside a write.
  func extend(with other: Schema) throws {
    let stored = try store.objects.schema
    try store.objects.declare(other)
    for instruction in ObjectStore.declarations(of: other) where !AppSchema.declares(stored, instruction) {
      try store.insertDeclaration(instruction)
    }
  }

  /// Takes the declarations of a client's upload, in development mode also new ones. Inside a write.
  ///
  /// - Throws: `SessionFailure` with error 225 for one that disagrees with the schema, or is new and not allowed.
  func accept(_ declarations: [Instruction]) throws {
    let additions = try SchemaAdditions(declarations, to: schema, isAllowed: app.sync.isDevelopmentMode)
    guard !additions.schema.isEmpty else { return }
    do {
      try extend(with: additions.schema)
    } catch let error as StorageError
      where [.schemaConflict, .unsupportedSchema, .statement].contains(error.kind)
    {
      throw SessionFailure.invalidSchemaChange(error.message)
    }
    try reload()
  }

  private static func declares(_ schema: Schema, _ instruction: Instruction) -> Bool {
    switch instruction {
    case .addTable(let name, _, _): schema[name] != nil
    case .addColumn(let table, let property, _): schema[table]?.property(named: property.name) != nil
    default: true
    }
  }

  // MARK: Views

  /// The view of a query set.
  ///
  /// - Throws: `QuerySetRefusal` for a set that this app does not allow.
  func view(body: String) throws(QuerySetRefusal) -> View {
    if let view = views[body] { return view }
    let view = View(body: body, predicates: try predicates(body))
    if views.count >= 4096 { views = [:] }
    views[body] = view
    return view
  }

  private func predicates(_ body: String) throws(QuerySetRefusal) -> [String: Predicate] {
    var predicates: [String: Predicate] = [:]
    do {
      for (className, query) in try QuerySet(body: Array(body.utf8)).queries {
        predicates[className] = try validator.predicate(className: className, text: query)
      }
    } catch let error as SyncQueryError {
      throw QuerySetRefusal(message: error.message)
    } catch {
      throw QuerySetRefusal(message: "\(error)")
    }
    return predicates
  }

  // MARK: Images

  func layout(of className: String) -> ImageLayout { layouts[className] ?? ImageLayout(fields: []) }

  /// The queryable fields of the object in a row; nil if there is none.
  func image(row: Int64, in table: ClassTable) throws -> ObjectImage? {
    guard let values = try store.objects.storedValues(row: row, in: table) else { return nil }
    return ObjectImage(
      fields: try layout(of: table.name).fields.map { name in
        guard let column = table.column(named: name) else { return .value(.null) }
        return switch column.schema.collection {
        case .single: .value(values[column.index])
        case .list: .elements(try store.objects.listValues(row: row, column))
        case .set: .elements(try store.objects.setValues(row: row, column))
        case .dictionary: .value(.dictionary(try store.objects.dictionaryEntries(row: row, column)))
        }
      }
    )
  }

  /// The queryable fields of an object; nil if it does not exist.
  func image(of object: ObjectReference) throws -> ObjectImage? {
    guard let table = try store.objects.table(named: object.table),
      let row = try store.objects.row(of: object.key, in: table)
    else { return nil }
    return try image(row: row, in: table)
  }
}
