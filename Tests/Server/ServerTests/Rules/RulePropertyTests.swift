// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncJSON
import FlexSyncMatcher
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore
import FlexSyncTestSupport
import Logging
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncDocuments
@testable import FlexSyncRules
@testable import FlexSyncServer

@Suite("Random rules")
struct RulePropertyTests {
  private static let values: JSON = ["limit": 2, "teams": ["ada", nil, "red"]]
  private static let userID = "64a000000000000000000001"

  @Test("A compiled rule selects what MongoDB would, in memory and in SQL", arguments: UInt64(1)...12)
  func agreement(seed: UInt64) throws {
    var rules = RandomRules(random: SeededGenerator(seed: seed))
    let documents = (1...40).map { rules.document($0) }
    let store = try StoredThings(documents)
    var matchCount = 0
    for round in 1...80 {
      let expression = rules.expression()
      let customData = rules.customData()
      let user = UserContext(id: Self.userID, customData: customData)
      let predicate = try Self.compile(expression, for: user, store)
      // The server keeps predicates as texts.
      let reread = try Query.parse(predicate.canonicalText).bind(to: store.schema, className: "Thing")
        .predicate
      var index = PredicateIndex(seed: seed)
      _ = index.add(reread)
      let place = "seed \(seed), round \(round): \(expression.serialized) for \(customData.serialized)"
      var expected: [Int64] = []
      for document in documents {
        let oracle = RuleOracle(
          user: [
            "id": .string(Self.userID), "type": "normal", "custom_data": customData, "data": .object([]),
          ],
          values: Self.values,
          document: document
        )
        let isExpected = oracle.isTrue(expression)
        let isMatching = predicate.matches(try store.image(of: document))
        #expect(isMatching == isExpected, "\(place) on \(document.serialized)")
        let image = try store.image(of: document)
        #expect(reread.matches(image) == isMatching, "\(predicate.canonicalText) of \(place)")
        #expect(index.matches(image) == isMatching, "index, \(place) on \(document.serialized)")
        if isExpected, let id = document["_id"]?.integerValue { expected.append(id) }
      }
      #expect(try store.selected(by: predicate) == expected, "SQL, \(place)")
      matchCount += expected.count
    }
    // Neither everything nor nothing.
    #expect((200...2000).contains(matchCount))
  }

  private static func compile(
    _ expression: JSON,
    for user: UserContext,
    _ store: StoredThings
  ) throws -> Predicate {
    let problems = ProblemCollector()
    let node = ConfigurationNode(file: "rules.json", key: nil, value: expression, problems: problems)
    var parser = RuleExpressionParser(allowsFields: true)
    let parsed = try parser.expression(node)
    let scope = RuleScope(user: user, values: values, environment: .object([]))
    return RuleCompiler(scope: scope, classSchema: store.classSchema, schema: store.schema).predicate(parsed)
  }
}

extension PredicateIndex {
  /// Whether its predicates find an object that comes into being.
  fileprivate mutating func matches(_ object: RowImage) -> Bool {
    let image = SlotImage(
      slots.map { name in
        switch object.fields[name] {
        case .value(let value): .value(value)
        case .list(let elements): .elements(elements)
        case .dictionary, nil: .value(.null)
        }
      }
    )
    var isFound = false
    forEachMatch(before: nil, after: image) { _, match in isFound = match.after }
    return isFound
  }
}

/// Documents of the class of random rules, in a store.
private struct StoredThings {
  let schema: Schema
  let classSchema: ClassSchema
  private let reader: DocumentReader
  private let store: ServerStore
  private let app: TemporaryFolder
  private let data: TemporaryFolder

  init(_ documents: [JSON]) throws {
    app = App.directory(schema: RandomRules.schema)
    data = TemporaryFolder()
    app.write(RandomRules.homeSchema, to: "data_sources/db/main/homes/schema.json")
    app.write(RandomRules.relationships, to: "data_sources/db/main/things/relationships.json")
    app.write(JSON.array(documents).serialized, to: "things.json")
    app.write(JSON.array([["_id": RandomRules.ids[0]]]).serialized, to: "homes.json")
    let importer = try DataImport(
      appDirectory: app.path,
      dataFolder: data.path,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    _ = try importer.run(file: "\(app.path)/homes.json", collection: "homes")
    _ = try importer.run(file: "\(app.path)/things.json", collection: "things")
    store = try DataFolder(data.path).openStore(appID: "things-abcde")
    schema = try AppDirectory.load(app.path).schema
    classSchema = try #require(schema["Thing"])
    reader = try DocumentReader(className: "Thing", schema: schema, classByCollection: [:])
  }

  func image(of document: JSON) throws -> RowImage {
    var image = RowImage()
    for (property, content) in try reader.object(document).contents {
      switch content {
      case .value(let value): image.fields[property.name] = .value(value)
      case .elements(let values): image.fields[property.name] = .list(values)
      case .entries, .embedded: break
      }
    }
    return image
  }

  /// The keys of the objects that a bootstrap finds in SQL.
  func selected(by predicate: Predicate) throws -> [Int64] {
    let objects = store.objects
    let table = try #require(try objects.table(named: "Thing"))
    let scan = try ViewScan(objects, table: table, matching: predicate, excluding: .never)
    var found: [Int64] = []
    while let (_, key) = try scan.nextRow() { if case .int(let id) = key { found.append(id) } }
    return found.sorted()
  }
}
