// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncWire

/// The schema of an app as the server serves it: the stored classes, the queryable fields, and the declarations that
/// clients receive.
package final class AppSchema {
  /// The configuration in force.
  var app: AppConfiguration
  private let store: ServerStore
  private let limits: ServerLimits
  package private(set) var schema = Schema()
  private(set) var spellings = NameSpellings(schema: Schema())
  private(set) var declarationCount = 0
  private var layouts: [String: ImageLayout] = [:]
  private var validator = SyncQueryValidator(schema: Schema(), policy: SyncQueryPolicy(queryableFields: [:]))
  private var views: [View.Identity: View] = [:]
  /// The fields that permissions examine or have ever examined, by class. None is ever dropped, because there may
  /// still be streams that follow the earlier permissions.
  private var ruleFields: [String: Set<String>] = [:]
  /// The queryable and indexed fields, and the maximum size of queries.
  private var policy = SyncQueryPolicy(queryableFields: [:])

  /// Declares the classes of the app directory in the store.
  ///
  /// - Throws: `StorageError` if they contradict the stored schema, or cannot be stored.
  package init(app: AppConfiguration, store: ServerStore, limits: ServerLimits = ServerLimits()) throws {
    self.app = app
    self.limits = limits
    self.store = store
    try store.write { try extend(with: app.schema) }
    try reload()
  }

  /// Returns the schema that a store has once the classes of an app directory are declared in it.
  ///
  /// - Throws: The same errors as `init` for classes that contradict the stored ones or cannot be stored.
  package static func combined(_ stored: Schema, with app: AppConfiguration) throws -> Schema {
    try inMemory(stored) { objects in
      try objects.declare(app.schema)
      return try objects.schema
    }
  }

  /// Returns the reasons why a store cannot declare the classes of an app directory, at most one for each class and property.
  package static func contradictions(of stored: Schema, with app: AppConfiguration) throws -> [String] {
    var reasons: [String] = []
    func isDeclared(_ declare: () throws -> Void) throws -> Bool {
      do {
        try declare()
        return true
      } catch let error as StorageError where [.schemaConflict, .unsupportedSchema].contains(error.kind) {
        reasons.append(error.message)
        return false
      }
    }
    try inMemory(stored) { objects in
      let classes = try app.schema.classes.filter { one in try isDeclared { try objects.declareClass(one) } }
      for one in classes {
        for property in one.properties {
          _ = try isDeclared { try objects.declareProperty(property, of: one.name) }
        }
      }
    }
    return reasons
  }

  /// Declares in a store without a file, which has the given schema already.
  private static func inMemory<Result>(_ stored: Schema, _ declare: (ObjectStore) throws -> Result) throws
    -> Result
  {
    let database = try Database.open(DatabaseConfiguration(location: .memory, application: .server))
    let objects = try ObjectStore(database)
    return try database.write {
      try objects.declare(stored)
      return try declare(objects)
    }
  }

  /// Rereads the schema from the store, for example after a transaction was rolled back.
  func reload() throws {
    schema = try store.objects.schema
    declarationCount = try store.declarationCount()
    ruleFields = try RuleFields(store: store).read()
    rebuild()
  }

  private func rebuild() {
    spellings = NameSpellings(schema: schema)
    policy = AppSchema.policy(of: app, schema, limits)
    validator = SyncQueryValidator(schema: schema, policy: policy)
    layouts = [:]
    views = [:]
    for classSchema in schema.classes {
      let name = classSchema.name
      let fields = policy.queryableFields[name] ?? []
      let known = (ruleFields[name] ?? []).filter { classSchema.property(named: $0) != nil }
      layouts[name] = ImageLayout(fields: fields.union(known).sorted())
    }
  }

  /// Returns the queryable and indexed fields of an app's classes, and the maximum size of queries.
  static func policy(of app: AppConfiguration, _ schema: Schema, _ limits: ServerLimits) -> SyncQueryPolicy {
    var policy = SyncQueryPolicy(queryableFields: [:], maximumByteCount: limits.queryByteCount)
    for classSchema in schema.classes {
      policy.queryableFields[classSchema.name] = queryableFields(of: classSchema, in: schema, app)
      guard let field = app.sync.indexedQueryableField, classSchema.property(named: field) != nil else {
        continue
      }
      policy.indexedFields[classSchema.name] = field
    }
    return policy
  }

  /// Returns the queryable fields of a class. In development mode, every field that can be queryable is, so that a
  /// new subscription needs no configuration.
  private static func queryableFields(
    of classSchema: ClassSchema,
    in schema: Schema,
    _ app: AppConfiguration
  ) -> Set<String> {
    guard app.sync.isDevelopmentMode else { return app.queryableFields(of: classSchema) }
    let fields = classSchema.properties.filter { $0.isQueryable || schema.holdsPoint($0) }
    return Set(fields.map(\.name) + [classSchema.primaryKey?.name].compactMap { $0 })
  }

  /// The names of the queryable fields, by class.
  var queryableFields: [String: [String]] { policy.queryableFields.mapValues { $0.sorted() } }

  /// Adds fields that permissions examine to all future images. Must be called inside a write.
  func includeInImages(_ fields: [String: Set<String>]) throws {
    let merged = ruleFields.merging(fields) { $0.union($1) }
    guard merged != ruleFields else { return }
    ruleFields = merged
    try RuleFields(store: store).write(merged)
    rebuild()
  }

  /// Adopts fields that another process has added to images in the meantime. Must be called inside a transaction.
  package func refreshImages() throws {
    let stored = try RuleFields(store: store).read()
    guard stored != ruleFields else { return }
    ruleFields = stored
    rebuild()
  }

  /// Applies a reloaded configuration. Must be called inside a write.
  ///
  /// - Throws: the same errors as `init`.
  func take(_ app: AppConfiguration) throws {
    try store.database.nested { try extend(with: app.schema) }
    self.app = app
    try reload()
  }

  // MARK: Schema growth

  /// Adds what `other` declares and the store lacks. Must be called inside a write.
  func extend(with other: Schema) throws {
    let stored = try store.objects.schema
    try store.objects.declare(other)
    for instruction in ObjectStore.declarations(of: other) where !AppSchema.declares(stored, instruction) {
      try store.insertDeclaration(instruction)
    }
  }

  /// Accepts the declarations in a client's upload. In development mode, they may add to the schema. Must be called
  /// inside a write.
  ///
  /// - Returns: Whether any were new.
  /// - Throws: `SessionFailure` with error 225 for a declaration that contradicts the schema, or that is new and not
  ///   allowed.
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
        "the server could not store the additions to \(names); see the server's log"
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

  /// Returns the view of a query set.
  ///
  /// - Parameter permissions: the user's permissions for its classes, as `ViewPermissions.text`.
  /// - Throws: `QuerySetRefusal` for a set that this app does not allow.
  func view(body: String, permissions: String = ViewPermissions.unrestrictedText) throws(QuerySetRefusal)
    -> View
  {
    try view(View.Identity(body: body, permissions: permissions)) { () throws(QuerySetError) in
      try QuerySet(body: Array(body.utf8))
    }
  }

  /// Returns the unrestricted view of a query set that has already been parsed.
  ///
  /// - Throws: the same errors as `view(body:permissions:)`.
  func view(of queries: QuerySet) throws(QuerySetRefusal) -> View {
    try view(View.Identity(body: String(decoding: queries.body, as: UTF8.self))) { () throws(QuerySetError) in
      queries
    }
  }

  /// Returns the intersection of some views.
  ///
  /// - Throws: the same errors as `view(body:permissions:)`.
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

  /// Returns the failure that ends a session whose active query set the app refuses. If the set was allowed before,
  /// the operator has withdrawn it. If it never was, the operator may have forgotten to allow it, and may still do
  /// so.
  func failure(of refusal: QuerySetRefusal, body: String) throws -> SessionFailure {
    try wasAllowed(body) ? .queryNotAllowed(refusal) : .queryNotServed(refusal)
  }

  /// Whether the app allowed a refused query set when more fields were queryable.
  private func wasAllowed(_ body: String) throws -> Bool {
    let former = try HistoryFloor(store: store).formerlyQueryableFields
    guard !former.isEmpty else { return false }
    var policy = policy
    for classSchema in schema.classes {
      let names = classSchema.properties.map(\.name).filter { former.contains("\(classSchema.name).\($0)") }
      policy.queryableFields[classSchema.name, default: []].formUnion(names)
    }
    let validator = SyncQueryValidator(schema: schema, policy: policy)
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

  /// Checks the number of subscriptions. Those to one class arrive as a single query, joined with OR (protocol §4.1).
  private func checkCount(_ queries: [Predicate]) throws(SyncQueryError) {
    let count = queries.reduce(0) { count, predicate in
      if case .or(let conditions) = predicate { count + conditions.count } else { count + 1 }
    }
    guard count > limits.subscriptionCount else { return }
    throw SyncQueryError(
      .limitsExceeded,
      "the subscriptions consist of \(count) conditions joined with OR; at most \(limits.subscriptionCount) "
        + "are allowed"
    )
  }

  // MARK: Images

  func layout(of className: String) -> ImageLayout { layouts[className] ?? ImageLayout(fields: []) }

  /// Returns the queryable fields and rule fields of the object in a row; nil if there is no such row.
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

  /// Returns an embedded point in the form that images use (`PointImage`).
  private func point(_ value: Value, _ objects: ObjectStore) throws -> [Value] {
    guard case .link(let link) = value, case .int(let row) = link.key,
      let table = try objects.table(named: link.className), let type = table.column(named: "type"),
      let coordinates = table.column(named: "coordinates"),
      let values = try objects.storedValues(row: row, in: table)
    else { return [] }
    let places = try objects.listValues(row: row, coordinates)
    return [values[type.index]] + places.prefix(PointImage.coordinateCount)
  }

  /// Whether a change gives an object a queryable point that is not on the globe.
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

  /// Returns the queryable fields and rule fields of an object; nil if it does not exist.
  func image(of object: ObjectReference) throws -> ObjectImage? { try image(of: object, in: store.objects) }

  /// Returns the same image, read from the snapshot that `objects` belongs to.
  func image(of object: ObjectReference, in objects: ObjectStore) throws -> ObjectImage? {
    guard let table = try objects.table(named: object.table),
      let row = try objects.row(of: object.key, in: table)
    else { return nil }
    return try image(row: row, in: table, objects)
  }
}
