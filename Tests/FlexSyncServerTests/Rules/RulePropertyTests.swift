// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStorage
import Logging
import Testing

@testable import FlexSyncServer

@Suite("Random rules")
struct RulePropertyTests {
  private static let values: JSON = ["limit": 2, "teams": ["ada", nil, "red"]]
  private static let userID = "64a000000000000000000001"

  @Test("A compiled rule selects what MongoDB would, in memory and in SQL", arguments: UInt64(1)...12)
  func agreement(seed: UInt64) throws {
    var rules = RandomRules(random: SeededRandom(seed: seed))
    let documents = (1...40).map { rules.document($0) }
    let store = try StoredThings(documents)
    var matchCount = 0
    for round in 1...60 {
      let expression = rules.expression()
      let customData = rules.customData()
      let user = UserContext(id: Self.userID, customData: customData)
      let predicate = try Self.compile(expression, for: user, store.classSchema)
      // The server keeps predicates as texts.
      let reread = try Query.parse(predicate.canonicalText).bind(to: store.schema, className: "Thing")
        .predicate
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
    _ classSchema: ClassSchema
  ) throws -> Predicate {
    let problems = ProblemCollector()
    let node = ConfigurationNode(file: "rules.json", key: nil, value: expression, problems: problems)
    var parser = RuleExpressionParser(allowsFields: true)
    let parsed = try parser.expression(node)
    let scope = RuleScope(user: user, values: values, environment: .object([]))
    return RuleCompiler(scope: scope, classSchema: classSchema).predicate(parsed)
  }
}

/// Documents of the class of random rules, in a store.
private struct StoredThings {
  let schema: Schema
  let classSchema: ClassSchema
  private let reader: DocumentReader
  private let store: ServerStore
  private let app: TemporaryDirectory
  private let data: TemporaryDirectory

  init(_ documents: [JSON]) throws {
    app = App.directory(schema: RandomRules.schema)
    data = TemporaryDirectory()
    app.write(JSON.array(documents).serialized, to: "things.json")
    let importer = try DataImport(
      appDirectory: app.path,
      dataFolder: data.path,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
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

  /// The keys of the objects that SQL finds.
  func selected(by predicate: Predicate) throws -> [Int64] {
    let objects = store.objects
    let table = try #require(try objects.table(named: "Thing"))
    let selection = try objects.selection(predicate, on: "Thing")
    return try objects.rows(table, selection).map { row in
      guard case .int(let id) = try objects.key(of: row, in: table) else { return -1 }
      return id
    }.sorted()
  }
}
