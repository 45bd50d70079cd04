// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncWire

/// The classes of an app as they are served: what is stored, what is queryable, what clients have been told.
package final class AppSchema {
  /// The configuration that is in force.
  var app: AppConfiguration
  private let store: ServerStore
  private let limits: ServerLimits
  package private(set) var schema = Schema()
  private(set) var declarationCount = 0
  private var layouts: [String: ImageLayout] = [:]
  private var validator = SyncQueryValidator(schema: Schema(), policy: SyncQueryPolicy(queryableFields: [:]))
  private var views: [View.Identity: View] = [:]
  /// The fields that permissions look at or have ever looked at, by class. Forgetting one would leave streams behind
  /// that follow what permissions were.
  private var ruleFields: [String: Set<String>] = [:]
  private var queryable: [String: Set<String>] = [:]
  private var indexed: [String: String] = [:]

  /// Declares the classes of the app directory in the store.
  ///
  /// - Throws: `StorageError` if they disagree with what is stored, or cannot be stored.
  package init(app: AppConfiguration, store: ServerStore, limits: ServerLimits = ServerLimits()) throws {
    self.app = app
    self.limits = limits
    self.store = store
    try store.write { try extend(with: app.schema) }
    try reload()
  }

  /// Reads the schema from the store, for example after a transaction was taken back.
  func reload() throws {
    schema = try store.objects.schema
    declarationCount = try store.declarationCount()
    ruleFields = try RuleFields(store: store).read()
    rebuild()
  }

  private func rebuild() {
    queryable = [:]
    layouts = [:]
    views = [:]
    for classSchema in schema.classes {
      let name = classSchema.name
      let fields = queryableFields(of: classSchema)
      queryable[name] = fields
      let known = (ruleFields[name] ?? []).filter { classSchema.property(named: $0) != nil }
      layouts[name] = ImageLayout(fields: fields.union(known).sorted())
    }
    indexed = [:]
    if let field = app.sync.indexedQueryableField {
      for classSchema in schema.classes where classSchema.property(named: field) != nil {
        indexed[classSchema.name] = field
      }
    }
    validator = makeValidator(queryableFields: queryable)
  }

  private func makeValidator(queryableFields: [String: Set<String>]) -> SyncQueryValidator {
    let policy = SyncQueryPolicy(
      queryableFields: queryableFields,
      indexedFields: indexed,
      maximumByteCount: limits.queryByteCount
    )
    return SyncQueryValidator(schema: schema, policy: policy)
  }

  /// In development mode every field is queryable that can be, so that a new subscription needs no configuration.
  private func queryableFields(of classSchema: ClassSchema) -> Set<String> {
    guard app.sync.isDevelopmentMode else { return app.queryableFields(of: classSchema) }
    let fields = classSchema.properties.filter { $0.isQueryable || schema.holdsPoint($0) }
    return Set(fields.map(\.name) + [classSchema.primaryKey?.name].compactMap { $0 })
  }

  /// The names of the queryable fields by class.
  var queryableFields: [String: [String]] { queryable.mapValues { $0.sorted() } }

  /// Has images keep fields that permissions look at, from now on. Inside a write.
  func includeInImages(_ fields: [String: Set<String>]) throws {
    let merged = ruleFields.merging(fields) { $0.union($1) }
    guard merged != ruleFields else { return }
    ruleFields = merged
    try RuleFields(store: store).write(merged)
    rebuild()
  }

  /// Notices what another process has included in images since. Inside a transaction.
  package func refreshImages() throws {
    let stored = try RuleFields(store: store).read()
    guard stored != ruleFields else { return }
    ruleFields = stored
    rebuild()
  }

  /// Takes a configuration that was read again. Inside a write.
  ///
  /// - Throws: as `init`.
  func take(_ app: AppConfiguration) throws {
    try store.database.nested { try extend(with: app.schema) }
    self.app = app
    try reload()
  }

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
  /// - Returns: whether any were new.
  /// - Throws: `SessionFailure` with error 225 for one that disagrees with the schema, or is new and not allowed.
  func accept(_ declarations: [Instruction]) throws -> Bool {
    let additions = try SchemaAdditions(declarations, to: schema, isAllowed: app.sync.isDevelopmentMode)
    guard !additions.schema.isEmpty else { return false }
    do {
      try extend(with: additions.schema)
    } catch let error as StorageError where [.schemaConflict, .unsupportedSchema].contains(error.kind) {
      throw SessionFailure.invalidSchemaChange(error.message)
    } catch let error as StorageError where error.kind == .statement {
      let names = additions.schema.classes.map { "\"\($0.name)\"" }.joined(separator: ", ")
      var failure = SessionFailure.invalidSchemaChange(
        "the server cannot store what is new in \(names); its log says why"
      )
      failure.cause = error.message
      throw failure
    }
    try reload()
    return true
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
  /// - Parameter permissions: what the user may see of its classes, as `ViewPermissions.text`.
  /// - Throws: `QuerySetRefusal` for a set that this app does not allow.
  func view(body: String, permissions: String = ViewPermissions.unrestrictedText) throws(QuerySetRefusal)
    -> View
  {
    try view(View.Identity(body: body, permissions: permissions)) { () throws(QuerySetError) in
      try QuerySet(body: Array(body.utf8))
    }
  }

  /// The view of a query set without any permissions, which was read before.
  ///
  /// - Throws: as `view(body:permissions:)`.
  func view(of queries: QuerySet) throws(QuerySetRefusal) -> View {
    try view(View.Identity(body: String(decoding: queries.body, as: UTF8.self))) { () throws(QuerySetError) in
      queries
    }
  }

  /// What is in all of some views.
  ///
  /// - Throws: as `view(body:permissions:)`.
  func intersection(of views: [View.Identity]) throws(QuerySetRefusal) -> View {
    var all: [View] = []
    for identity in views { all.append(try view(body: identity.body, permissions: identity.permissions)) }
    return View.intersection(of: all)
  }

  private func view(
    _ identity: View.Identity,
    _ queries: () throws(QuerySetError) -> QuerySet
  ) throws(QuerySetRefusal) -> View {
    if let view = views[identity] { return view }
    let view: View
    do {
      view = View(identity, selections: try selections(of: queries(), identity.permissions))
    } catch let error as SyncQueryError {
      throw QuerySetRefusal(error)
    } catch {
      throw QuerySetRefusal(message: "\(error)")
    }
    if views.count >= 4096 { views = [:] }
    views[identity] = view
    return view
  }

  /// The failure that ends a session whose active query set is refused. What the operator has withdrawn is gone; what was never here
  /// may have been forgotten, and may come yet.
  func failure(of refusal: QuerySetRefusal, body: String) throws -> SessionFailure {
    try wasAllowed(body) ? .queryNotAllowed(refusal) : .queryNotServed(refusal)
  }

  /// Whether a query set that is refused was allowed when more fields were queryable.
  private func wasAllowed(_ body: String) throws -> Bool {
    let former = try HistoryFloor(store: store).formerlyQueryableFields
    guard !former.isEmpty else { return false }
    var fields = queryable
    for classSchema in schema.classes {
      let names = classSchema.properties.map(\.name).filter { former.contains("\(classSchema.name).\($0)") }
      fields[classSchema.name, default: []].formUnion(names)
    }
    let validator = makeValidator(queryableFields: fields)
    do {
      for (className, text) in try QuerySet(body: Array(body.utf8)).queries {
        _ = try validator.predicate(className: className, text: text)
      }
      return true
    } catch {
      return false
    }
  }

  private func selections(of queries: QuerySet, _ permissions: String) throws -> [String: View.Selection] {
    let restrictions = try ViewPermissions(text: permissions).restrictions
    var selections: [String: View.Selection] = [:]
    var predicates: [Predicate] = []
    for (className, text) in queries.queries {
      let query = try validator.predicate(className: className, text: text)
      let restriction = restrictions[className]
      let read = try restriction.map { try Query.parse($0.objects).bind(to: schema, className: className) }
      selections[className] = View.Selection(
        query: query,
        disclosure: ClassDisclosure(
          objects: read?.predicate ?? .always,
          fields: restriction?.fields ?? .all
        )
      )
      predicates.append(query)
    }
    try checkCount(predicates)
    return selections
  }

  /// The subscriptions to a class come as one query, joined with OR (protocol §4.1).
  private func checkCount(_ queries: [Predicate]) throws(SyncQueryError) {
    let count = queries.reduce(0) { count, predicate in
      if case .or(let conditions) = predicate { count + conditions.count } else { count + 1 }
    }
    guard count > limits.subscriptionCount else { return }
    throw SyncQueryError(
      .limitsExceeded,
      "the subscriptions consist of \(count) conditions that are joined with OR; at most \(limits.subscriptionCount) are "
        + "allowed"
    )
  }

  // MARK: Images

  func layout(of className: String) -> ImageLayout { layouts[className] ?? ImageLayout(fields: []) }

  /// The queryable and rule-relevant fields of the object in a row; nil if there is none.
  private func image(row: Int64, in table: ClassTable, _ objects: ObjectStore) throws -> ObjectImage? {
    guard let values = try objects.storedValues(row: row, in: table) else { return nil }
    return ObjectImage(
      fields: try layout(of: table.name).fields.map { name in
        guard let column = table.column(named: name) else { return .value(.null) }
        return switch column.schema.collection {
        case .single where schema.holdsPoint(column.schema):
          .elements(try point(values[column.index], objects))
        case .single: .value(values[column.index])
        case .list: .elements(try objects.listValues(row: row, column))
        case .set: .elements(try objects.setValues(row: row, column))
        case .dictionary: .value(.dictionary(try objects.dictionaryEntries(row: row, column)))
        }
      }
    )
  }

  /// An embedded point as images have it (`PointImage`).
  private func point(_ value: Value, _ objects: ObjectStore) throws -> [Value] {
    guard case .link(let link) = value, case .int(let row) = link.key,
      let table = try objects.table(named: link.className), let type = table.column(named: "type"),
      let coordinates = table.column(named: "coordinates"),
      let values = try objects.storedValues(row: row, in: table)
    else { return [] }
    let places = try objects.listValues(row: row, coordinates)
    return [values[type.index]] + places.prefix(PointImage.coordinateCount)
  }

  /// Whether the change of an object makes a queryable point one that is not on the globe.
  func corruptsPoint(_ touched: TouchedObject) -> Bool {
    guard let after = touched.after, let classSchema = schema[touched.object.table] else { return false }
    for (index, name) in layout(of: touched.object.table).fields.enumerated() {
      guard let property = classSchema.property(named: name), schema.holdsPoint(property),
        case .elements(let point) = after.fields[index], PointImage.isCorrupt(point)
      else { continue }
      if touched.before?.fields[index] != after.fields[index] { return true }
    }
    return false
  }

  /// The queryable and rule-relevant fields of an object; nil if it does not exist.
  func image(of object: ObjectReference) throws -> ObjectImage? { try image(of: object, in: store.objects) }

  /// The same as it is in a snapshot.
  func image(of object: ObjectReference, in objects: ObjectStore) throws -> ObjectImage? {
    guard let table = try objects.table(named: object.table),
      let row = try objects.row(of: object.key, in: table)
    else { return nil }
    return try image(row: row, in: table, objects)
  }
}
