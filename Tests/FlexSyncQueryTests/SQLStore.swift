// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncModel
import FlexSyncQuery

/// A data set in a real SQLite database, in the layout that the compiler expects.
final class SQLStore: SQLLayout {
  struct Failure: Error {
    let message: String
    let sql: String
  }

  private let schema: Schema
  private var database: OpaquePointer?

  init(_ dataset: Dataset) throws {
    schema = dataset.schema
    guard sqlite3_open(":memory:", &database) == SQLITE_OK else { throw Failure(message: "open", sql: "") }
    registerFunctions()
    for classSchema in schema.classes { try createTables(classSchema) }
    try run("BEGIN")
    for objects in dataset.objects.values { for object in objects { try insert(object) } }
    try run("COMMIT")
  }

  deinit { sqlite3_close_v2(database) }

  func table(of className: String) -> String { quoted(className) }

  func primaryKeyColumn(of className: String) -> String {
    quoted(schema[className]?.primaryKey?.name ?? "flx_key")
  }

  func column(_ property: String, of className: String) -> String { quoted(property) }

  func nanosecondsColumn(_ property: String, of className: String) -> String { quoted(property + "#ns") }

  func listTable(_ property: String, of className: String) -> String { quoted("\(className).\(property)") }

  func dictionaryTable(_ property: String, of className: String) -> String {
    listTable(property, of: className)
  }

  /// The numbers of the objects that a query finds, in its order.
  func rows(_ query: BoundQuery) throws -> [Int] {
    let statement = try SQLCompiler.rows(query, layout: self)
    return try run(statement.text, statement.bindings)
  }

  /// Whether the rows are found without looking at every row.
  func plan(_ query: BoundQuery) throws -> String {
    let condition = try SQLCompiler.condition(query.predicate, layout: self)
    var texts: [String] = []
    let sql = "EXPLAIN QUERY PLAN SELECT 1 FROM \(table(of: query.className)) AS t0 WHERE \(condition.text)"
    try run(sql, condition.bindings) { statement in
      texts.append(String(cString: sqlite3_column_text(statement, 3)))
    }
    return texts.joined(separator: "\n")
  }

  func createIndex(_ className: String, _ property: String) throws {
    try run("CREATE INDEX \(quoted("index." + property)) ON \(quoted(className)) (\(quoted(property)))")
  }

  @discardableResult
  private func run(
    _ sql: String,
    _ bindings: [Value] = [],
    each: ((OpaquePointer?) -> Void)? = nil
  ) throws -> [Int] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    for (index, value) in bindings.enumerated() { try bind(value, to: statement, at: Int32(index + 1)) }
    var result: [Int] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        if let each { each(statement) } else { result.append(Int(sqlite3_column_int64(statement, 0))) }
      case SQLITE_DONE: return result
      default: throw failure(sql)
      }
    }
  }

  private func failure(_ sql: String) -> Failure {
    Failure(message: String(cString: sqlite3_errmsg(database)), sql: sql)
  }

  private func quoted(_ name: String) -> String { "\"\(name)\"" }
}

extension SQLStore {
  private func createTables(_ classSchema: ClassSchema) throws {
    var columns = ["flx_row INTEGER PRIMARY KEY"]
    if classSchema.primaryKey == nil { columns.append("flx_key INTEGER") }
    for property in classSchema.properties + [classSchema.primaryKey].compactMap({ $0 }) {
      let type = Self.columnTypes[property.type] ?? ""
      guard property.collection == .single else {
        try run(
          "CREATE TABLE \(listTable(property.name, of: classSchema.name)) "
            + "(owner INTEGER, ordinal INTEGER, value \(type), value_ns INTEGER)"
        )
        continue
      }
      columns.append("\(quoted(property.name)) \(type)")
      if property.type == .timestamp { columns.append("\(quoted(property.name + "#ns")) INTEGER") }
    }
    try run("CREATE TABLE \(quoted(classSchema.name)) (\(columns.joined(separator: ", ")))")
  }

  private static let columnTypes: [ValueType: String] = [
    .int: "INTEGER", .bool: "INTEGER", .timestamp: "INTEGER", .string: "TEXT", .float: "REAL",
    .double: "REAL",
  ]

  private func insert(_ object: StoredObject) throws {
    guard let classSchema = schema[object.className] else { return }
    var names: [String] = []
    var values: [Value] = []
    if classSchema.primaryKey == nil {
      names.append("flx_key")
      values.append(object.key.value ?? .null)
    }
    let properties = classSchema.properties + [classSchema.primaryKey].compactMap { $0 }
    for property in properties where property.collection == .single {
      names.append(quoted(property.name))
      let value = object.image.value(of: property.name)
      guard property.type == .timestamp else {
        values.append(value)
        continue
      }
      names.append(quoted(property.name + "#ns"))
      values += parts(value)
    }
    let holes = names.map { _ in "?" }.joined(separator: ", ")
    let list = names.joined(separator: ", ")
    try run("INSERT INTO \(quoted(object.className)) (\(list)) VALUES (\(holes))", values)
    let row = Value.int(sqlite3_last_insert_rowid(database))
    for property in properties where property.collection != .single { try insert(property, of: object, row) }
  }

  private func insert(_ property: PropertySchema, of object: StoredObject, _ row: Value) throws {
    let table = listTable(property.name, of: object.className)
    for (ordinal, value) in object.image.elements(of: property.name).enumerated() {
      let isTime = property.type == .timestamp
      let values = isTime ? parts(value) : [value, .null]
      try run("INSERT INTO \(table) VALUES (?, ?, ?, ?)", [row, .int(Int64(ordinal))] + values)
    }
  }

  private func parts(_ value: Value) -> [Value] {
    guard case .timestamp(let time) = value else { return [.null, .null] }
    return [.int(time.seconds), .int(Int64(time.nanoseconds))]
  }

  private func bind(_ value: Value, to statement: OpaquePointer?, at index: Int32) throws {
    switch value {
    case .null, .decimal, .timestamp, .list, .dictionary: sqlite3_bind_null(statement, index)
    case .int(let int): sqlite3_bind_int64(statement, index, int)
    case .bool(let bool): sqlite3_bind_int64(statement, index, bool ? 1 : 0)
    case .string(let text): bind(Array(text.utf8), isText: true, to: statement, at: index)
    case .malformedString(let bytes): bind(bytes, isText: true, to: statement, at: index)
    case .binary(let bytes): bind(bytes, isText: false, to: statement, at: index)
    case .objectId(let objectId): bind(objectId.bytes, isText: false, to: statement, at: index)
    case .uuid(let uuid): bind(uuid.bytes, isText: false, to: statement, at: index)
    case .float(let float): try bind(.double(Double(float)), to: statement, at: index)
    case .double(let double) where double.isNaN: bind([0x7F, 0xF8], isText: false, to: statement, at: index)
    case .double(let double): sqlite3_bind_double(statement, index, double)
    case .link(let link): try bind(link.key.value ?? .null, to: statement, at: index)
    }
  }

  private func bind(_ bytes: [UInt8], isText: Bool, to statement: OpaquePointer?, at index: Int32) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    bytes.withUnsafeBytes { buffer in
      // A null pointer would bind null instead of no bytes.
      let start = buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
      if isText {
        let text = start?.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(statement, index, text, Int32(buffer.count), transient)
      } else {
        sqlite3_bind_blob(statement, index, start, Int32(buffer.count), transient)
      }
    }
  }

  private func registerFunctions() {
    for function in SQLFunction.allCases {
      let box = Unmanaged.passRetained(FunctionBox(function)).toOpaque()
      sqlite3_create_function_v2(
        database,
        function.name,
        2,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC,
        box,
        { context, _, arguments in
          guard let arguments, let box = sqlite3_user_data(context) else { return }
          let function = Unmanaged<FunctionBox>.fromOpaque(box).takeUnretainedValue().function
          let types = (sqlite3_value_type(arguments[0]), sqlite3_value_type(arguments[1]))
          if types.0 == SQLITE_NULL || types.1 == SQLITE_NULL { return sqlite3_result_null(context) }
          let holds =
            types.0 == types.1
            && function.holds(FunctionBox.bytes(arguments[0]), FunctionBox.bytes(arguments[1]))
          sqlite3_result_int(context, holds ? 1 : 0)
        },
        nil,
        nil,
        { $0.map { Unmanaged<FunctionBox>.fromOpaque($0).release() } }
      )
    }
  }
}

private final class FunctionBox {
  let function: SQLFunction

  init(_ function: SQLFunction) { self.function = function }

  static func bytes(_ value: OpaquePointer?) -> [UInt8] {
    let start = sqlite3_value_blob(value)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
  }
}
