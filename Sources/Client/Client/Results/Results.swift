// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// The live objects that match a query: `flx_results_t`.
///
/// Count and rows are computed on demand and cached until something that the query depends on is written.
final class Results {
  let realm: Realm
  // The realm keeps its classes alive for as long as it lives.
  unowned(unsafe) let info: ClassInfo
  let query: BoundQuery
  /// The links that the objects must hold, if these are the objects linking to another one.
  let backlinks: Backlinks?
  /// The list, set or dictionary that the objects must be in, if these are the objects of one.
  let members: Members?

  /// The subscription that `flx_results_subscribe` created or found.
  var ownSubscription: ObjectId?
  private let dependencies: QueryDependencies
  private var compiled: RowQuery?
  private var lentPredicate: LentText?
  /// The memory that C borrowed with the last call.
  private var lent = TextArena()
  private var cachedCount: Int?
  private var cachedRows: [Int64]?
  /// The number of the realm's last invalidation when these results were created.
  private let era: UInt64
  /// The realm's stamp at which count and rows are valid.
  private var stamp: UInt64 = 0
  // Nothing else accesses it during a change, and checking that at run time would cost as much as the change
  // itself.
  @exclusivity(unchecked) private var page = ResultsPage()
  /// The handle that the C interface has lent for one of these objects and may lend again.
  @exclusivity(unchecked) var loan: AnyObject?
  private var columnsReader: ColumnsReader?

  init(
    _ realm: Realm,
    _ info: ClassInfo,
    _ query: BoundQuery,
    backlinks: Backlinks? = nil,
    members: Members? = nil
  ) {
    self.backlinks = backlinks
    self.members = members
    self.realm = realm
    self.info = info
    self.query = query
    era = realm.writeLog.era
    var dependencies = QueryDependencies(query, info, realm.schema)
    if let watch = members?.watch { dependencies.add(watch.column, of: watch.object.info) }
    if let origin = backlinks?.origin, origin.isEmbedded { dependencies.add(origin, of: info) }
    self.dependencies = dependencies
  }

  /// Creates results of all objects of a class, in order of insertion.
  convenience init(_ realm: Realm, _ info: ClassInfo) {
    self.init(realm, info, BoundQuery(className: info.name, predicate: .always))
  }

  // MARK: Derived results

  /// Returns the objects that also match a query text. Its clauses are applied after the existing ones.
  ///
  /// - Throws: `QueryError`, `CoreError`.
  func filtered(_ text: String, _ arguments: [QueryArgument]) throws -> Results {
    try realm.requireOpen()
    return try RoomyStack.run {
      let bound = try Query.parse(text, allowsDiacritics: true).bind(
        to: realm.schema.schema,
        className: info.name,
        arguments: arguments
      )
      let combined = BoundQuery(
        className: info.name,
        predicate: .all([query.predicate, bound.predicate].filter { $0 != .always }),
        options: QueryOptions(query.options.steps + bound.options.steps)
      )
      return Results(realm, info, combined, backlinks: backlinks, members: members)
    }
  }

  /// Returns the results with one more clause.
  func appending(_ step: QueryOptions.Step) throws -> Results {
    try realm.requireOpen()
    var query = query
    query.options.steps.append(step)
    return Results(realm, info, query, backlinks: backlinks, members: members)
  }

  /// The predicate in canonical text, lent by the results.
  var predicateText: flx_string_t {
    if let lentPredicate { return lentPredicate.string }
    let predicate = query.predicate
    let text = LentText((try? RoomyStack.run { predicate.canonicalText }) ?? predicate.canonicalText)
    lentPredicate = text
    return text.string
  }

  /// Returns an explanation of how the results are found, lent until the next call.
  func lentExplanation() throws -> flx_string_t {
    try realm.requireOpen()
    let explanation = try RoomyStack.run { try compiledQuery().explain() }
    lent.removeAll()
    return lent.keep(([explanation.sql] + explanation.plan).joined(separator: "\n"))
  }

  /// Returns an aggregate over one property, lent until the next call.
  func lentAggregate(_ aggregate: ResultsAggregate, _ property: flx_property_key_t) throws -> flx_value_t {
    let value = try self.aggregate(aggregate, property)
    lent.removeAll()
    return try realm.lent(value, &lent)
  }

  /// Returns the values of a single property that are not null, in the order of the results.
  func values(of column: Column) throws -> [Value] {
    guard isRestricted else { return try RoomyStack.run { try compiledQuery().values(of: column) } }
    return try rows().map { try realm.store.storedValue(row: $0, column) }.filter { $0 != .null }
  }

  // MARK: Objects

  func count() throws -> Int {
    try revalidate()
    if let cachedRows { return cachedRows.count }
    if let cachedCount { return cachedCount }
    // Finding the objects may be all the work, and a caller that counts them is likely to ask for them next.
    if isRestricted || !query.options.keepsAllRows { return try rows().count }
    let count = try RoomyStack.run { try compiledQuery().count() }
    cachedCount = count
    return count
  }

  /// Returns the rows in the order of the query.
  func rows() throws -> [Int64] {
    try revalidate()
    if let cachedRows { return cachedRows }
    let rows = try foundRows()
    cachedRows = rows
    return rows
  }

  private func foundRows() throws -> [Int64] {
    if let members { return try RoomyStack.run { try members.rows(query) } }
    return try RoomyStack.run {
      guard let backlinks else { return try compiledQuery().rows() }
      return try backlinks.rows(query) { try compiledQuery().rows() }
    }
  }

  /// Returns the object at an index if its row has been read and nothing has changed since.
  func cachedObject(at index: Int) -> ManagedObject? {
    guard stamp == realm.stamp else { return nil }
    return page.object(at: index, viewStamp: realm.viewStamp)
  }

  /// Makes `object`, which nobody else uses, the object at an index, if its row has been read and nothing has changed
  /// since. Returns whether it did.
  @inline(__always)
  func becomeCachedObject(_ object: ManagedObject, at index: Int) -> Bool {
    guard stamp == realm.stamp else { return false }
    return page.becomeObject(object, at: index, viewStamp: realm.viewStamp)
  }

  /// Returns the object at an index, which may be `spare`: an object of these results that nobody else uses.
  ///
  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS.
  func object(at index: Int, reusing spare: ManagedObject?) throws -> ManagedObject {
    try revalidate()
    if let object = page.object(at: index, viewStamp: realm.viewStamp) { return object }
    if page.isInSequence(index), readsInOrder,
      let object = try RoomyStack.run({ try readInOrder(index, reusing: spare) })
    {
      return object
    }
    if let cachedCount, !(0..<cachedCount).contains(index) {
      throw CoreError.indexOutOfBounds(index, count: cachedCount)
    }
    let rows = try rows()
    guard index >= 0, index < rows.count else { throw CoreError.indexOutOfBounds(index, count: rows.count) }
    return try page.read(index, rows, realm, info, reusing: spare)
  }

  private func readInOrder(_ index: Int, reusing spare: ManagedObject?) throws -> ManagedObject? {
    // The query is not shared with others, who would continue its scan.
    let object = try page.readInOrder(index, realm.store.rowQuery(query), realm, info, reusing: spare)
    if let count = page.foundCount { cachedCount = count }
    return object
  }

  /// Whether one statement can find the objects and read them in their order.
  private var isOneStatement: Bool { !isRestricted && query.options.isPlain }

  /// Whether one statement should find the objects and read them, rather than one that finds all and others that read
  /// some. In a write transaction it could not stay open.
  ///
  /// A caller who has not counted the objects may read until there are no more, or only the first.
  private var readsInOrder: Bool {
    guard cachedRows == nil, !realm.isInWrite, isOneStatement else { return false }
    return cachedCount.map { $0 >= ResultsPage.manyObjects } ?? true
  }

  /// Reads properties of objects, from `index` on, into the memory of a caller.
  ///
  /// - Returns: the number of objects read: fewer than `capacity` at the end, and if the next one does not fit.
  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS, VALUE_TOO_LARGE if the first object does not fit.
  func read(from index: Int, _ columns: [ReadColumn], capacity: Int) throws -> Int {
    try revalidate()
    if let cachedCount, index >= cachedCount {
      guard index == cachedCount else {
        throw CoreError.indexOutOfBounds(index, count: cachedCount, mayBeCount: true)
      }
      return 0
    }
    let reader = columnsReader.flatMap { $0.reads(columns) ? $0 : nil } ?? ColumnsReader(realm, columns)
    columnsReader = reader
    let read = try RoomyStack.run {
      if isOneStatement, reader.canRead(from: index, stamp) {
        try reader.readInOrder(try compiledQuery(), from: index, columns, capacity, stamp)
      } else {
        try reader.readEach(try rows(), from: index, columns, capacity)
      }
    }
    if read.isAtEnd { cachedCount = index + read.rowCount }
    if read.rowCount == 0, let full = read.fullColumn { throw columns[full].noRoom }
    return read.rowCount
  }

  /// Returns the index of an object; nil if it is not in the results.
  func index(of object: ManagedObject) throws -> Int? {
    guard object.info === info, object.realm === realm else { return nil }
    return try rows().firstIndex(of: object.row)
  }

  /// Deletes all objects.
  func deleteAll() throws {
    try realm.requireWrite()
    guard !info.table.isEmbedded else { return try deleteEmbedded() }
    try realm.requireSubscription(info)
    // Without changes to capture and links to remove, nobody asks for the keys.
    let needsKeys = try realm.writeLog.capture != nil || realm.store.canBeLinked(info.table)
    for row in try rows() {
      guard needsKeys else {
        try realm.delete(unlinked: row, info)
        continue
      }
      guard let key = try realm.store.key(of: row, in: info.table) else { continue }
      try realm.delete(ObjectReference(table: info.name, key: key), info, row: row)
    }
  }

  /// Deletes embedded objects, of which one may contain the next.
  private func deleteEmbedded() throws {
    for row in try rows() {
      let object = ManagedObject(realm, info, row: row)
      if object.isValid { try object.delete() }
    }
  }

  /// Clears the cached count and rows if they may have changed.
  @inline(__always)
  private func revalidate() throws {
    if stamp != realm.stamp { try forgetOutdated() }
  }

  @inline(never)
  private func forgetOutdated() throws {
    try realm.requireOpen()
    guard isValid else { return becomeEmpty() }
    if stamp < realm.viewStamp || !dependencies.areUntouched(since: stamp) {
      cachedCount = nil
      cachedRows = nil
      page.removeAll()
      loan = nil
    }
    stamp = realm.stamp
  }

  /// Whether the realm is open and was not invalidated since.
  var isValid: Bool { !realm.isClosed && era == realm.writeLog.era }

  /// What remains of results whose realm was invalidated.
  private func becomeEmpty() {
    cachedCount = 0
    cachedRows = []
    page.removeAll()
    loan = nil
    stamp = realm.stamp
  }

  private func compiledQuery() throws -> RowQuery {
    if let compiled { return compiled }
    let compiled = try realm.store.rowQuery(query)
    self.compiled = compiled
    return compiled
  }
}

// MARK: - Changes

extension Results {
  /// Whether writes may change the set of rows or their order.
  func isAffected(by touched: TouchedRows) -> Bool { dependencies.isAffected(by: touched) }

  /// Whether each object can be tested separately and the objects are in order of insertion.
  var isSimple: Bool { dependencies.isLocal && query.options.isEmpty && !isRestricted }

  /// Whether more than the query determines the objects; one object may then occur several times.
  var isRestricted: Bool { backlinks != nil || members != nil }

  /// Whether an object belongs to the results. Only for simple results.
  func contains(_ row: Int64) throws -> Bool { try RoomyStack.run { try compiledQuery().isMet(by: row) } }
}
