// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore
import Testing

@testable import FlexSyncServer

@Suite("Subscriptions to what lies in an area")
struct GeoSubscriptionTests {
  private typealias Place = (longitude: Double, latitude: Double)

  private static let schema = Schema([
    ClassSchema(
      name: "Restaurant",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "name", type: .string, isNullable: true),
        PropertySchema(name: "location", type: .link, isNullable: true, linkTarget: "GeoPoint"),
      ]
    ),
    ClassSchema(
      name: "GeoPoint",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "type", type: .string, isNullable: true),
        PropertySchema(name: "coordinates", type: .double, collection: .list),
      ]
    ),
  ])
  private static let restaurants = #"""
    {"title":"Restaurant","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
    "name":{"bsonType":"string"},"location":{"title":"GeoPoint","bsonType":"object","properties":{
    "type":{"bsonType":"string"},"coordinates":{"bsonType":"array","items":{"bsonType":"double"}}}}}}
    """#
  private static let box = "location GEOWITHIN geoBox([0.2, 0.2], [0.7, 0.7])"
  private static let areas = [
    box, "location GEOWITHIN geoCircle([0.0, 90.0], 0.5)", "location GEOWITHIN geoCircle([12.5, 55.6], 0.02)",
    "location GEOWITHIN geoPolygon({[-80.0, 40.7128], [20.0, 60.0], [20.0, 20.0], [-80.0, 40.7128]})",
    "NOT location GEOWITHIN geoCircle([0.0, 90.0], 0.5)",
  ]
  private static let places: [Place] = [
    (-74.006, 40.7128), (12.5683, 55.6761), (12.0826, 55.628), (0, 90), (-82.68193, 84.74653),
    (82.55243, 84.54981), (0.5, 0.5), (0.1, 0.5),
  ]

  private func app() -> SmallApp {
    SmallApp(
      sync: #""collection_queryable_fields_names":{"Restaurant":["name","location"]}"#,
      schemas: ["restaurants": Self.restaurants]
    )
  }

  private func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    subscribe(client, query)
    try client.synchronize()
    return client
  }

  private func subscribe(_ client: SyncClient, _ query: String) {
    let text = query.replacing(#"""#, with: #"\""#)
    client.subscribe(#"{"Restaurant":"(\#(text))"}"#)
  }

  private func restaurant(_ key: Int64) -> ObjectReference {
    ObjectReference(table: "Restaurant", key: .int(key))
  }

  private func path(_ key: Int64, _ steps: PathElement...) -> FlexSyncChangeset.PropertyPath {
    FlexSyncChangeset.PropertyPath(object: restaurant(key), field: "location", path: steps)
  }

  private func point(_ key: Int64, _ type: String, _ coordinates: [Double]) -> [Instruction] {
    let numbers = coordinates.enumerated().map { index, number in
      Instruction.arrayInsert(
        path(key, .name("coordinates"), .index(UInt32(index))),
        .value(.double(number)),
        priorSize: UInt32(index)
      )
    }
    return [
      .update(path(key), .value(.null), .isDefault(false)),
      .update(path(key), .object, .isDefault(false)),
      .update(path(key, .name("type")), .value(.string(type)), .isDefault(false)),
    ] + numbers
  }

  private func create(_ key: Int64, _ place: Place?) -> [Instruction] {
    [.createObject(restaurant(key))] + (place.map { point(key, "Point", [$0.longitude, $0.latitude]) } ?? [])
  }

  private func move(_ key: Int64, to place: Place, by client: SyncClient) throws {
    try client.write(point(key, "Point", [place.longitude, place.latitude]))
    try client.synchronize()
  }

  private func keys(_ client: SyncClient) throws -> [PrimaryKey] {
    try client.synchronize()
    return try client.objects.contents(of: "Restaurant").keys.sorted { "\($0)" < "\($1)" }
  }

  /// What a query on the device answers that has everything.
  private func local(_ query: String, _ client: SyncClient) throws -> [PrimaryKey] {
    let bound = try Query.parse(query).bind(to: Self.schema, className: "Restaurant")
    let table = try #require(try client.objects.table(named: "Restaurant"))
    let rows = try client.objects.rowQuery(bound).rows()
    return try rows.compactMap { try client.objects.key(of: $0, in: table) }.sorted { "\($0)" < "\($1)" }
  }

  @Test("The server sends what a query on the device finds, at once and later", arguments: areas)
  func answers(area: String) throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness, "TRUEPREDICATE")
    let early = try client(harness, area)
    for (key, place) in Self.places.enumerated() {
      try author.write(create(Int64(key), place))
    }
    try author.write(create(100, nil))
    try author.write([.createObject(restaurant(101))] + point(101, "Polygon", [0.5, 0.5]))
    try author.synchronize()
    #expect(author.rejections.isEmpty && author.failures.isEmpty)
    let expected = try local(area, author)
    #expect(!expected.isEmpty)
    #expect(try keys(early) == expected)
    #expect(try keys(try client(harness, area)) == expected)
    #expect(early.queryErrors.isEmpty)
  }

  @Test("Coordinates may be without a fraction, as Realm's clients write them, also west and south of zero")
  func wholeCoordinates() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness, "TRUEPREDICATE")
    for (key, place) in Self.places.enumerated() { try author.write(create(Int64(key), place)) }
    try author.synchronize()
    let whole = "location GEOWITHIN GeoPolygon({[-80, 40], [20, 60], [20, -20], [-80, 40]})"
    let watcher = try client(harness, whole)
    let expected = try local(whole.replacing(/-?[0-9]+/) { "\($0.output).0" }, author)
    #expect(!expected.isEmpty && watcher.queryErrors.isEmpty)
    #expect(try keys(watcher) == expected)
  }

  @Test("An object comes and goes with its point")
  func moving() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness, "TRUEPREDICATE")
    let watcher = try client(harness, Self.box)
    try author.write(create(1, (0.1, 0.1)))
    try author.synchronize()
    #expect(try keys(watcher) == [])
    try move(1, to: (0.5, 0.5), by: author)
    #expect(try keys(watcher) == [.int(1)])
    // One coordinate inside of the embedded object.
    let coordinate = path(1, .name("coordinates"), .index(0))
    try author.write([.update(coordinate, .value(.double(0.9)), .priorSize(2))])
    try author.synchronize()
    #expect(try keys(watcher) == [])
    try move(1, to: (0.6, 0.6), by: author)
    watcher.disconnect()
    try author.write([.update(path(1), .value(.null), .isDefault(false))])
    try author.synchronize()
    try watcher.connect()
    #expect(try keys(watcher) == [])
  }

  @Test("A point that is nowhere on the globe is taken back, and others are not harmed")
  func invalidPoints() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness, "TRUEPREDICATE")
    try author.write(create(1, (0.5, 0.5)) + create(2, (-180.1, -90.1)))
    try author.write([.createObject(restaurant(3))] + point(3, "Point", [0.5]))
    try author.synchronize()
    let rejected = author.rejections
    #expect(rejected.map(\.key) == [.int(2), .int(3)])
    #expect(rejected.allSatisfy { $0.reason.hasSuffix(#"in table "Restaurant" will corrupt geojson data"#) })
    #expect(try keys(author) == [.int(1)])
    #expect(try keys(try client(harness, Self.box)) == [.int(1)])
  }

  @Test("Other conditions on a point, and areas on other fields, are refused with the reason")
  func refusals() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let client = try client(harness, "TRUEPREDICATE")
    for query in ["location == NULL", "name GEOWITHIN geoCircle([1.0, 2.0], 0.1)"] {
      subscribe(client, query)
      try client.synchronize()
    }
    let prefix = #"Invalid query: unsupported query for table "Restaurant": "#
    #expect(
      client.queryErrors[2] == prefix
        + #"key "location" holds points, which can only be queried with GEOWITHIN"#
    )
    #expect(
      client.queryErrors[3]
        == prefix
        + "GEOWITHIN is only allowed on a field with one embedded GeoJSON point (type and coordinates), and "
        + #""name" is not one"#
    )
  }
}
